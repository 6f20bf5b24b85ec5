package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.named.NamedLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a budget of retries keeps when the document changes it. */
class BudgetReloadTest extends RegistryFixture {
    private static final Request RETRY = Request.ONE.withPriority(1);

    private static NamedLimiter payments(LimiterRegistry registry) {
        NamedLimiter payments = registry.limiter("payments");
        assertInstanceOf(Rejection.class, payments.tryAcquire(RETRY));
        for (int i = 0; i < 4; i++) {
            assertInstanceOf(Permit.class, payments.tryAcquire()).release(Outcome.SUCCESS);
        }
        return payments;
    }

    @Test
    void whatIsLeftStaysThroughOtherFiguresAndALimitBesideIt() {
        NamedLimiter payments = payments(registry("limits: { payments: { budget: { retries: 50% } } }")); // 2
        write("limits: { payments: { budget: { retries: 10% } } }");
        assertTrue(payments.tryAcquire(RETRY) instanceof Permit);
        write("limits: { payments: { all-of: [ { budget: { retries: 10% } }, { concurrency: 9 } ] } }");
        assertTrue(payments.tryAcquire(RETRY) instanceof Permit);
        assertInstanceOf(Rejection.class, payments.tryAcquire(RETRY));
    }

    @Test
    void anOverrideSetsOneFigureAndTheOthersStay() {
        LimiterRegistry registry = registry("limits: { payments: { budget: { retries: 50%, period: 5s } } }");
        NamedLimiter payments = payments(registry); // 2
        assertTrue(payments.tryAcquire(RETRY) instanceof Permit); // 1
        registry.override("payments", "budget: { floor: 2/s }", Duration.ofMinutes(5), "ann", "incident 7");
        assertEquals("50%", payments.status().settings().get("budget.retries"));
        assertEquals("2/s", payments.status().settings().get("budget.floor"));
        assertTrue(payments.tryAcquire(RETRY) instanceof Permit);
        assertInstanceOf(Rejection.class, payments.tryAcquire(RETRY)); // the floor begins to fill
        time.advance(Duration.ofMillis(500));
        assertTrue(payments.tryAcquire(RETRY) instanceof Permit);
    }
}
