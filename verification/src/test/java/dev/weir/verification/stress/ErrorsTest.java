package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Strategy;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Oracle;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever is thrown by work, observers, classifiers, wake-ups and their clock: no permit is lost. */
class ErrorsTest {
    private static final List<Throwable> THROWN = List.of(
            new OutOfMemoryError("made up"),
            new StackOverflowError("made up"),
            new NoClassDefFoundError("made up"),
            new AssertionError("made up"),
            new InterruptedException("made up"),
            new IllegalStateException("made up"));

    @Test
    void S15_workThatThrows() {
        ManagedLimiter limiter = Limiters.of("l", new Semaphore(3));
        work(limiter);
        Oracle.assertCapacity(3, limiter);
    }

    @Test
    void S15_everyoneThrows() {
        for (Throwable thrown : THROWN) {
            ManagedLimiter limiter = Limiters.builder("l", new Semaphore(3))
                    .ticker(() -> 0)
                    .trackPermits(1)
                    .classifier(t -> sneak(thrown))
                    .build();
            limiter.observe(new Throwing(thrown));
            limiter.whenCapacity(() -> sneak(thrown));
            work(limiter);
            limiter.enforce(0.5);
            work(limiter);
            limiter.enforce(1);
            limiter.dial().setLimit(4);
            limiter.reconfigure(new Semaphore(2));
            Oracle.assertCapacity(2, limiter);
            Permit last = (Permit) limiter.tryAcquire();
            limiter.close();
            last.close();
            assertEquals(0, limiter.snapshot().inFlight());
        }
    }

    @Test
    void S15_brokenTwin_aBracketThatCatchesOnlyExceptionsLeaks() {
        PartStrategy strategy = Parts.create(new Semaphore(3), () -> 0);
        for (Throwable thrown : THROWN) {
            assertThrows(thrown.getClass(), () -> bracket(strategy, thrown));
        }
        assertEquals(3, strategy.inFlight());
    }

    private static void bracket(Strategy strategy, Throwable thrown) {
        if (strategy.acquire(Request.ONE) == Strategy.GRANTED) {
            try {
                sneak(thrown);
            } catch (Exception e) {
                strategy.release(Request.ONE, Outcome.IGNORED);
                throw e;
            }
        } else {
            sneak(thrown);
        }
    }

    private static void work(ManagedLimiter limiter) {
        for (Throwable thrown : THROWN) {
            for (int i = 0; i < 10; i++) {
                assertSame(thrown, assertThrows(Throwable.class, () -> limiter.run(() -> sneak(thrown))));
                assertSame(thrown, assertThrows(Throwable.class, () -> limiter.call(() -> sneak(thrown))));
                for (Outcome outcome : Outcome.values()) {
                    ((Permit) limiter.tryAcquire()).release(outcome);
                    ((Permit) limiter.attempt(Request.ONE)).release(outcome);
                }
            }
        }
    }

    /* Throws a checked exception where none is declared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable, R> R sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private record Throwing(Throwable thrown) implements LimiterObserver {
        @Override
        public boolean timesNext() {
            return sneak(thrown);
        }

        @Override
        public void onAdmitted(Request request) {
            sneak(thrown);
        }

        @Override
        public void onRejected(Request request, Rejection rejection) {
            sneak(thrown);
        }

        @Override
        public void onReleased(Request request, Outcome outcome, long heldNanos) {
            sneak(thrown);
        }

        @Override
        public void onLimitChanged(long from, long to, String why) {
            sneak(thrown);
        }

        @Override
        public void onDrained() {
            sneak(thrown);
        }
    }
}
