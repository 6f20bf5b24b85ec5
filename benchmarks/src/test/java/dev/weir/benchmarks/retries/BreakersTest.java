package dev.weir.benchmarks.retries;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.failsafe.CircuitBreakerOpenException;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.budget.AdaptiveThrottle;
import dev.weir.budget.RetryBudget;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Circuit breakers of others beside a limiter: what the limiter refuses is no failure of theirs, and no success. */
class BreakersTest {
    private final ManagedLimiter payments = Limiters.of("payments", new Semaphore(1));
    private boolean isDown;

    private String ask() throws IOException {
        if (isDown) {
            throw new IOException("down");
        }
        return "paid";
    }

    private static void isRefused(Callable<String> call, int times) {
        for (int i = 0; i < times; i++) {
            assertThrows(LimitExceededException.class, call::call);
        }
    }

    @Test
    void theBreakerOfResilience4jIgnoresWhatWeRefuse() throws Exception {
        // #region resilience4j
        CircuitBreakerConfig settings = CircuitBreakerConfig.custom()
                .ignoreExceptions(LimitExceededException.class)
                .build();
        CircuitBreaker breaker = CircuitBreaker.of("payments", settings);
        Callable<String> pay = CircuitBreaker.decorateCallable(breaker, () -> payments.call(this::ask));
        // #endregion resilience4j
        Permit held = assertInstanceOf(Permit.class, payments.tryAcquire());
        isRefused(pay, 1000);
        assertEquals(CircuitBreaker.State.CLOSED, breaker.getState());
        assertEquals(0, breaker.getMetrics().getNumberOfBufferedCalls());
        breaker.transitionToOpenState();
        breaker.transitionToHalfOpenState();
        isRefused(pay, 1000); // they take none of the ten calls that it permits now
        assertEquals(CircuitBreaker.State.HALF_OPEN, breaker.getState());
        held.close();
        for (int i = 0; i < 10; i++) {
            assertEquals("paid", pay.call());
        }
        assertEquals(CircuitBreaker.State.CLOSED, breaker.getState());
    }

    @Test
    void brokenTwin_thatOfResilience4jOpensByWhatWeRefuseUnlessItIsTold() {
        CircuitBreaker breaker = CircuitBreaker.of(
                "payments",
                CircuitBreakerConfig.custom()
                        .slidingWindow(100, 100, SlidingWindowType.COUNT_BASED)
                        .build());
        Permit held = assertInstanceOf(Permit.class, payments.tryAcquire());
        isRefused(CircuitBreaker.decorateCallable(breaker, () -> payments.call(this::ask)), 100);
        assertEquals(CircuitBreaker.State.OPEN, breaker.getState());
        held.close();
    }

    private static ManagedLimiter besideFailsafe(StrategySpec spec) {
        ManagedLimiter payments = Limiters.builder("payments", spec)
                .classifier(thrown -> {
                    if (thrown instanceof CircuitBreakerOpenException) {
                        return Outcome.CANCELLED; // it was never sent
                    }
                    Throwable cause = thrown.getCause();
                    return Outcome.of(thrown instanceof FailsafeException && cause != null ? cause : thrown);
                })
                .build();
        return payments;
    }

    private String pay(Limiter payments, dev.failsafe.CircuitBreaker<String> breaker, int attempt) throws Exception {
        // #region failsafe
        Request request = Request.ONE.withPriority(attempt).refundable();
        return payments.call(request, () -> Failsafe.with(breaker).get(this::ask));
        // #endregion failsafe
    }

    @Test
    void theBreakerOfFailsafeInsideSeesNothingThatWeRefuse() throws Exception {
        dev.failsafe.CircuitBreaker<String> breaker = dev.failsafe.CircuitBreaker.ofDefaults();
        ManagedLimiter one = besideFailsafe(new Semaphore(1));
        Permit held = assertInstanceOf(Permit.class, one.tryAcquire());
        breaker.halfOpen();
        isRefused(() -> pay(one, breaker, 0), 1000);
        assertEquals(dev.failsafe.CircuitBreaker.State.HALF_OPEN, breaker.getState());
        assertEquals(0, breaker.getExecutionCount());
        held.close();
        assertEquals("paid", pay(one, breaker, 0));
        assertEquals(dev.failsafe.CircuitBreaker.State.CLOSED, breaker.getState());
    }

    @Test
    void whatAnOpenBreakerOfFailsafeRefusesCostsNothing() throws Exception {
        dev.failsafe.CircuitBreaker<String> breaker = dev.failsafe.CircuitBreaker.ofDefaults();
        ManagedLimiter budget = besideFailsafe(new RetryBudget(1, 0, Duration.ofHours(1)));
        ManagedLimiter throttle = besideFailsafe(AdaptiveThrottle.of(1));
        assertEquals("paid", pay(budget, breaker, 0)); // pays for one retry
        isDown = true;
        assertThrows(FailsafeException.class, () -> pay(throttle, breaker, 0));
        assertEquals(dev.failsafe.CircuitBreaker.State.OPEN, breaker.getState());
        for (int i = 0; i < 100; i++) {
            assertThrows(CircuitBreakerOpenException.class, () -> pay(budget, breaker, 1)); // and is paid back
            assertThrows(CircuitBreakerOpenException.class, () -> pay(budget, breaker, 0));
        }
        isDown = false;
        breaker.close();
        assertEquals("paid", pay(budget, breaker, 1));
        assertEquals(0, throttle.snapshot().details().get("refusedPerMille")); // one call, that says nothing of load
    }

    /** Why it stands inside: for it, each call is a success or a failure. */
    @Test
    void brokenTwin_thatOfFailsafeOutsideClosesByWhatWeRefuse() {
        dev.failsafe.CircuitBreaker<String> breaker = dev.failsafe.CircuitBreaker.<String>builder()
                .handleIf(thrown -> !(thrown instanceof LimitExceededException))
                .build();
        Permit held = assertInstanceOf(Permit.class, payments.tryAcquire());
        breaker.halfOpen();
        isRefused(() -> Failsafe.with(breaker).get(() -> payments.call(this::ask)), 1);
        assertEquals(dev.failsafe.CircuitBreaker.State.CLOSED, breaker.getState());
        held.close();
    }
}
