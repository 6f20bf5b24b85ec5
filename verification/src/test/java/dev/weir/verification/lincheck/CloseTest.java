package dev.weir.verification.lincheck;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Strategy;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a limiter against all that still goes on. */
@Tag("proof")
class CloseTest {
    @Test
    void S18_afterTheEndNothingIsAdmittedAndEveryReturnIsLegal() {
        Proof.holds(OfEngine.class, Sequential.class);
    }

    @Test
    void S18_brokenTwin_anEndThatIsALimitIsUndoneByTheDial() {
        Proof.fails(OfLimitZero.class, Sequential.class);
    }

    @Test
    void S18_whoeverHearsThatAllIsDrainedFindsNobodyInside() {
        Proof.holds(Drained.class, Anything.class);
    }

    /**
     * Whether a request is in is not asked here: what is handed back at the end may have cost another its place for a
     * moment.
     */
    public static final class Drained extends Admission {
        private volatile boolean drained;

        public Drained() {
            super(new Semaphore(1), 0);
            limiter.observe(new LimiterObserver() {
                @Override
                public void onDrained() {
                    drained = true;
                }
            });
        }

        @Override
        @Operation
        public boolean acquire(@Param(gen = ThreadIdGen.class) int thread) {
            if (super.acquire(thread) && drained) {
                throw new AssertionError("admitted after all had drained");
            }
            return true;
        }

        @Override
        @Operation
        public boolean release(@Param(gen = ThreadIdGen.class) int thread) {
            super.release(thread);
            return true;
        }

        @Operation(runOnce = true)
        public void close() {
            limiter.close();
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class Anything {
        public boolean acquire(int thread) {
            return true;
        }

        public boolean release(int thread) {
            return true;
        }

        public void close() {}
    }

    public static final class OfEngine extends Dialling {
        public OfEngine() {
            super(new Semaphore(1), 0);
        }

        @Operation
        public void close() {
            limiter.close();
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class Sequential extends Dialling.Sequential {
        private boolean closed;

        public Sequential() {
            super(1, 0);
        }

        @Override
        public boolean acquire(int thread) {
            return !closed && super.acquire(thread);
        }

        public void close() {
            closed = true;
        }
    }

    /** Ends by a limit of nought, which a dial that looked just before turns up again. */
    public static final class OfLimitZero {
        private final Strategy strategy = new Twins.TwoWords(1).create(() -> 0);
        private final int[] count = new int[3];
        private volatile boolean closed;

        @Operation
        public boolean acquire(@Param(gen = ThreadIdGen.class) int thread) {
            boolean admitted = strategy.acquire(Request.ONE) == Strategy.GRANTED;
            count[thread] += admitted ? 1 : 0;
            return admitted;
        }

        @Operation
        public boolean release(@Param(gen = ThreadIdGen.class) int thread) {
            if (count[thread] == 0) {
                return false;
            }
            count[thread]--;
            strategy.release(Request.ONE, Outcome.SUCCESS);
            return true;
        }

        @Operation
        public void setLimit(@Param(gen = IntGen.class, conf = "1:3") int limit) {
            if (!closed) {
                strategy.setLimit(limit);
            }
        }

        @Operation
        public void close() {
            closed = true;
            strategy.setLimit(0);
        }
    }
}
