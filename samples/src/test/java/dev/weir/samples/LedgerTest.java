package dev.weir.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The ledger of the demo finds what is wrong. */
class LedgerTest {
    private final Ledger ledger = new Ledger(2);

    private void admit(int times) {
        for (int i = 0; i < times; i++) {
            ledger.admitted(ledger.bound());
        }
    }

    @Test
    void anAdmissionAboveTheLimitIsOver() {
        admit(2);
        assertEquals(0, ledger.totals().over());

        admit(1);
        assertEquals(1, ledger.totals().over());
        assertEquals(3, ledger.next().highest());
    }

    @Test
    void whatWasGrantedBeforeALoweringIsNotOverButTheNextAdmissionIs() {
        admit(2);
        ledger.setBound(1);
        assertEquals(0, ledger.totals().over());

        admit(1);
        assertEquals(1, ledger.totals().over());
    }

    @Test
    void anAdmissionAskedForBeforeALoweringIsJudgedByTheLimitOfThen() {
        long before = ledger.bound();
        admit(1);
        ledger.setBound(1);
        ledger.admitted(before);

        assertEquals(0, ledger.totals().over());
    }

    @Test
    void aPermitThatWasNotReleasedIsMissing() {
        admit(2);
        ledger.leaving(30);
        ledger.returned();
        ledger.leaving(10);

        assertEquals(2, ledger.totals().granted());
        assertEquals(1, ledger.totals().returned());
        assertEquals(new Ledger.Interval(2, 10, 10), ledger.next());
    }
}
