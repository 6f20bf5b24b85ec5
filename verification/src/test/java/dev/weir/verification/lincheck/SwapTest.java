package dev.weir.verification.lincheck;

import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.spi.StrategySpec;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Acquire and release against swaps of the algorithm. */
@Tag("proof")
class SwapTest {
    @Test
    void S1_S11_W1_oneCountOutlivesEverySwap() {
        Proof.holds(SemaphoreAndCounter.class, Sequential.class);
    }

    @Test
    void W1_brokenTwin_aSwapThatStartsAFreshCountAdmitsTwice() {
        Proof.fails(FreshCounter.class, Sequential.class);
    }

    /** Each swap may change the limit too. */
    abstract static class Swapping extends Admission {
        Swapping() {
            super(new Semaphore(1), 0);
        }

        abstract StrategySpec spec(int limit);

        @Operation
        public void swap(@Param(gen = IntGen.class, conf = "1:3") int limit) {
            limiter.reconfigure(spec(limit));
        }
    }

    public static final class SemaphoreAndCounter extends Swapping {
        @Override
        StrategySpec spec(int limit) {
            return limit % 2 == 0 ? new Semaphore(limit) : new Counter(limit);
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class FreshCounter extends Swapping {
        @Override
        StrategySpec spec(int limit) {
            return new Twins.FreshCounter(limit);
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class Sequential extends Admission.Sequential {
        public Sequential() {
            super(1, 0);
        }

        public void swap(int limit) {
            limit(limit);
        }
    }
}
