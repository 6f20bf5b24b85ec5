package dev.weir.adaptive;

import static dev.weir.adaptive.Windows.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StartTest {
    private final Start start = new Start();

    private static Window.Builder inside(long inFlight, long admitted, long completed) {
        return Window.lasting(100 * MS, 1000)
                .inFlight(inFlight, inFlight)
                .asked(admitted, 0)
                .ended(completed, 0, 0);
    }

    private boolean congested(long inFlight, long admitted, long completed) {
        return start.congested(inside(inFlight, admitted, completed).build());
    }

    @Test
    void throughputThatGrowsWithWhatIsInsideIsHealthy() {
        for (long inFlight = 10; inFlight <= 640; inFlight *= 2) {
            assertFalse(congested(inFlight, inFlight + 10, inFlight));
        }
        assertEquals(6.4e-6, start.rate());
    }

    @Test
    void twiceAsMuchInsideForTheSameThroughputIsACrowd() {
        assertFalse(congested(20, 120, 100));
        assertFalse(congested(39, 120, 100));
        assertTrue(congested(40, 120, 100));
    }

    @Test
    void whatDrainsIsNoCrowd() {
        assertFalse(congested(20, 100, 100));
        assertFalse(congested(40, 100, 100));
    }

    @Test
    void aFewAreNoCrowd() {
        assertFalse(congested(2, 12, 10));
        assertFalse(congested(8, 12, 10));
    }

    @Test
    void whereTheLimitBindsNothingIsLearned() {
        assertFalse(start.congested(inside(1000, 100, 90).asked(100, 1).build()));
        assertEquals(0, start.rate());
    }

    private boolean harmed(long inFlight, long completed) {
        return start.harmed(inside(inFlight, 100, completed).build(), 20, 1);
    }

    @Test
    void aBurstHarmsWhereThroughputFallsBeyondDoubt() {
        assertFalse(harmed(20, 1000));
        assertFalse(harmed(31, 1000), "it does not fall");
        assertFalse(harmed(31, 920), "2 sqrt(1 / 1000 + 1 / 920) = 0.091, ln(1000 / 920) = 0.083");
        assertFalse(harmed(30, 700), "not more than 1.5 times the knee");
        assertTrue(harmed(31, 700));
        assertFalse(harmed(31, 390), "a pause");
        start.again();
        assertFalse(harmed(31, 700));
    }
}
