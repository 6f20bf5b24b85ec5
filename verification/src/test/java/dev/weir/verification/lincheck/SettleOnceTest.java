package dev.weir.verification.lincheck;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One permit by cost, settled and cancelled by two threads, while the limit is set: what goes back goes back once. */
@Tag("proof")
class SettleOnceTest {
    private static final int BURST = 20;
    private static final int ESTIMATE = 8;

    @Test
    void S13_onlyTheFirstSettleCountsAndNoneAfterTheRelease() {
        Proof.holds(OfEngine.class, Sequential.class);
    }

    @Test
    void S13_brokenTwin_aPermitThatChecksThenSettlesReturnsTwice() {
        Proof.fails(OfCarelessPermit.class, Sequential.class);
    }

    public static final class OfEngine {
        private final ManagedLimiter limiter = Limiters.builder(
                        "l", Settled.of(TokenBucket.of(1, Duration.ofHours(1)).withCapacity(BURST)))
                .ticker(() -> 0)
                .build();
        private final Permit permit =
                (Permit) limiter.tryAcquire(Request.ONE.settled(ESTIMATE).refundable());
        private volatile int settled = -1;
        private volatile boolean cancelled;

        @Operation
        public boolean settle(@Param(gen = IntGen.class, conf = "0:12") int actual) {
            boolean first = permit.settle(actual);
            if (first) {
                settled = actual;
            }
            return first;
        }

        @Operation
        public boolean cancel() {
            cancelled = true;
            return permit.release(Outcome.CANCELLED);
        }

        @Operation
        public void setLimit(@Param(gen = IntGen.class, conf = "1:3") int limit) {
            limiter.dial().setLimit(limit);
        }

        /** What is left, from outside. */
        @Validate
        public void left() {
            checkLeft(settled, cancelled, limiter.quota(Request.ONE).remaining());
        }
    }

    private static void checkLeft(int settled, boolean cancelled, long left) {
        int spent = settled >= 0 ? settled : cancelled ? 0 : ESTIMATE;
        if (left != BURST - spent) {
            throw new AssertionError(left + " left, " + spent + " of " + BURST + " spent");
        }
    }

    public static final class Sequential {
        private boolean settled;
        private boolean released;

        public boolean settle(int actual) {
            boolean first = !settled && !released;
            settled |= first;
            return first;
        }

        public boolean cancel() {
            boolean first = !released;
            released = true;
            return first;
        }

        public void setLimit(int limit) {}
    }

    /** Looks whether it is settled or released, then does it. */
    public static final class OfCarelessPermit {
        private final AtomicLong left = new AtomicLong(BURST - ESTIMATE);
        private volatile boolean isSettled;
        private volatile boolean isReleased;
        private volatile int settled = -1;

        @Operation
        public boolean settle(@Param(gen = IntGen.class, conf = "0:12") int actual) {
            if (isSettled || isReleased) {
                return false;
            }
            isSettled = true;
            left.addAndGet(ESTIMATE - actual);
            settled = actual;
            return true;
        }

        @Operation
        public boolean cancel() {
            if (isReleased) {
                return false;
            }
            isReleased = true;
            left.addAndGet(isSettled ? 0 : ESTIMATE);
            return true;
        }

        @Operation
        public void setLimit(@Param(gen = IntGen.class, conf = "1:3") int limit) {}

        /** What is left. */
        @Validate
        public void left() {
            checkLeft(settled, isReleased, left.get());
        }
    }
}
