package dev.weir.verification.lincheck;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A suspension against requests, changes and the close, at the instant at which an earlier one has just ended. */
@Tag("proof")
class SuspensionTest {
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void W1_noRequestAndNoChangeLosesASuspension() {
        Proof.holds(OfEngine.class, Sequential.class);
    }

    @Test
    void W1_brokenTwin_aRequestThatRemovesWithoutASealLosesOne() {
        Proof.fails(WithoutSeal.class, SequentialTwin.class);
    }

    /** An ended suspension is still there. The time stands, so that none of the new ones ends. */
    public static final class OfEngine {
        private final VirtualTime time = new VirtualTime();
        private final ManagedLimiter limiter =
                Limiters.builder("l", new Semaphore(9)).ticker(time).build();

        public OfEngine() {
            limiter.suspendFor(Duration.ofNanos(1), "ended");
            time.advance(1);
        }

        @Operation
        public boolean acquire() {
            return limiter.tryAcquire() instanceof dev.weir.Permit;
        }

        @Operation
        public boolean suspend(@Param(gen = IntGen.class, conf = "1:3") int days) {
            return limiter.suspendFor(DAY.multipliedBy(days), "told");
        }

        @Operation
        public void reconfigure() {
            limiter.reconfigure(new Semaphore(8));
        }

        @Operation(runOnce = true)
        public void close() {
            limiter.close();
        }
    }

    public static final class Sequential {
        private int suspended;
        private boolean closed;

        public boolean acquire() {
            return suspended == 0 && !closed;
        }

        public boolean suspend(int days) {
            boolean longer = days > suspended && !closed;
            suspended = longer ? days : suspended;
            return longer;
        }

        public void reconfigure() {
            if (closed) {
                throw new IllegalStateException();
            }
        }

        public void close() {
            closed = true;
        }
    }

    /** The request that finds the end passed removes whatever is there. */
    public static final class WithoutSeal {
        private static final long NOW = 1;

        private volatile long[] end = {NOW};

        @Operation
        public boolean acquire() {
            long[] present = end;
            if (present != null && present[0] > NOW) {
                return false;
            }
            end = null;
            return true;
        }

        @Operation
        public boolean suspend(@Param(gen = IntGen.class, conf = "1:3") int days) {
            long[] present = end;
            if (present == null) {
                end = new long[] {NOW + days};
                return true;
            }
            boolean longer = present[0] < NOW + days;
            if (longer) {
                present[0] = NOW + days;
            }
            return longer;
        }
    }

    public static final class SequentialTwin {
        private int suspended;

        public boolean acquire() {
            return suspended == 0;
        }

        public boolean suspend(int days) {
            boolean longer = days > suspended;
            suspended = longer ? days : suspended;
            return longer;
        }
    }
}
