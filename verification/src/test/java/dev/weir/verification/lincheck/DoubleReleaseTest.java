package dev.weir.verification.lincheck;

import static java.util.Objects.requireNonNull;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One permit, returned by two threads, also after a swap and after the end; and the capacity once all is quiet. */
@Tag("proof")
class DoubleReleaseTest {
    @Test
    void S13_onlyTheFirstReturnCountsAlsoLate() {
        Proof.holds(OfEngine.class, Sequential.class);
    }

    @Test
    void S13_brokenTwin_aPermitThatChecksThenActsReturnsTwice() {
        Proof.fails(OfCarelessPermit.class, Sequential.class);
    }

    public static final class OfEngine {
        private final ManagedLimiter limiter = Limiters.of("l", new Semaphore(2));
        private final Permit permit = (Permit) limiter.tryAcquire();
        private volatile boolean returned;
        private volatile boolean closed;

        @Operation
        public boolean release() {
            returned = true;
            return permit.release(Outcome.SUCCESS);
        }

        @Operation
        public void swap(@Param(gen = IntGen.class, conf = "2:3") int limit) {
            try {
                limiter.reconfigure(limit == 2 ? new Counter(2) : new Semaphore(2));
            } catch (IllegalStateException ended) {
                // Legal after the end.
            }
        }

        @Operation(runOnce = true, nonParallelGroup = "end")
        public void close() {
            limiter.close();
            closed = true;
        }

        /** The count and the room left, from outside. */
        @Validate
        public void capacity() {
            int expected = closed ? 0 : returned ? 2 : 1;
            int room = 0;
            while (room < 3 && limiter.tryAcquire() instanceof Permit) {
                room++;
            }
            if (room != expected) {
                throw new AssertionError(room + " admitted, not " + expected);
            }
        }
    }

    public static final class Sequential {
        private boolean home;

        public boolean release() {
            boolean first = !home;
            home = true;
            return first;
        }

        public void swap(int limit) {}

        public void close() {}
    }

    public static final class OfCarelessPermit {
        private final CarelessPermit permit = new CarelessPermit(new Semaphore(2).create(() -> 0));

        @Operation
        public boolean release() {
            return permit.release(Outcome.SUCCESS);
        }
    }

    /** Looks whether it is home, then goes home. */
    private static final class CarelessPermit extends Permit {
        private final Strategy strategy;
        private volatile boolean home;

        CarelessPermit(Strategy strategy) {
            this.strategy = strategy;
            strategy.acquire(Request.ONE);
        }

        @Override
        public boolean release(Outcome outcome) {
            if (home) {
                return false;
            }
            home = true;
            strategy.release(Request.ONE, requireNonNull(outcome));
            return true;
        }
    }
}
