package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Strategy;
import dev.weir.testkit.Oracle;
import org.junit.jupiter.api.Test;

/**
 * Recursion into the end of the stack around every way in and out, thousands of times and from every alignment: whatever
 * was granted on the way down is returned on the way up. Also from the first call on, when nothing is linked yet.
 */
class StackOverflowTest {
    private static final int RUNS = 10_000;
    private static final long LIMIT = 1_000_000;
    private long depth;

    @Test
    void S15_run() throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(LIMIT));
        StackEnd.reach(RUNS, () -> run(limiter));
        check(limiter);
    }

    @Test
    void S15_call() throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Counter(LIMIT));
        StackEnd.reach(RUNS / 10, () -> call(limiter));
        check(limiter);
    }

    @Test
    void S15_acquireAndRelease() throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(LIMIT));
        StackEnd.reach(RUNS, () -> acquire(limiter));
        check(limiter);
    }

    @Test
    void S15_acquireAndReleaseObservedAndTracked() throws Exception {
        ManagedLimiter limiter =
                Limiters.builder("deep", new Semaphore(LIMIT)).trackPermits(100).build();
        limiter.observe(new LimiterObserver() {});
        StackEnd.reach(RUNS / 10, () -> acquire(limiter));
        check(limiter);
    }

    @Test
    void S15_releaseTriedFurtherUpUntilOneFindsRoom() throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(LIMIT));
        StackEnd.reach(RUNS / 1_000, () -> {
            try (Permit permit = (Permit) limiter.tryAcquire()) {
                releaseOnTheWayBack(permit);
            }
        });
        check(limiter);
    }

    @Test
    void S15_brokenTwin_aBracketWithoutHeadroomLeaks() throws Exception {
        Strategy strategy = new Semaphore(LIMIT).create(() -> 0);
        StackEnd.reach(RUNS / 10, () -> bracket(strategy));
        assertTrue(strategy.inFlight() > 0, "nothing leaked");
    }

    private void run(ManagedLimiter limiter) {
        depth++;
        limiter.run(() -> run(limiter));
    }

    private long call(ManagedLimiter limiter) {
        depth++;
        try {
            return limiter.call(() -> call(limiter));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void acquire(ManagedLimiter limiter) {
        depth++;
        if (limiter.tryAcquire() instanceof Permit permit) {
            try {
                acquire(limiter);
            } finally {
                permit.release(Outcome.SUCCESS);
            }
        }
    }

    private void releaseOnTheWayBack(Permit permit) {
        depth++;
        try {
            releaseOnTheWayBack(permit);
        } finally {
            permit.release(Outcome.SUCCESS);
        }
    }

    private void bracket(Strategy strategy) {
        depth++;
        if (strategy.acquire(Request.ONE) == Strategy.GRANTED) {
            try {
                bracket(strategy);
            } finally {
                giveBack(strategy, 20);
            }
        }
    }

    /* The way out is longer than the way in, as it is for a bracket that tells others first. */
    private void giveBack(Strategy strategy, int frames) {
        if (frames > 0) {
            giveBack(strategy, frames - 1);
        } else {
            strategy.release(Request.ONE, Outcome.SUCCESS);
        }
    }

    private static void check(ManagedLimiter limiter) {
        assertEquals(0, limiter.snapshot().inFlight());
        limiter.dial().setLimit(100);
        Oracle.assertCapacity(100, limiter);
    }
}
