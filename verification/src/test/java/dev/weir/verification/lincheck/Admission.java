package dev.weir.verification.lincheck;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/** A limiter as two threads use it: each holds what it was granted until it releases it, last first. */
abstract class Admission {
    final ManagedLimiter limiter;
    private final Permit[][] held = new Permit[3][4];
    private final int[] count = new int[3];

    /** Each thread starts with so many permits in hand. */
    Admission(StrategySpec spec, int heldByEach) {
        limiter = Limiters.of("l", spec);
        for (int i = 0; i < heldByEach * held.length; i++) {
            acquire(i % held.length);
        }
    }

    @Operation
    public boolean acquire(@Param(gen = ThreadIdGen.class) int thread) {
        if (!(limiter.tryAcquire() instanceof Permit permit)) {
            return false;
        }
        held[thread][count[thread]++] = permit;
        return true;
    }

    @Operation
    public boolean release(@Param(gen = ThreadIdGen.class) int thread) {
        return count[thread] > 0 && held[thread][--count[thread]].release(Outcome.SUCCESS);
    }

    /** At the end: what is held and what is still given fill the limit, counted from outside. */
    final void checkCapacity() {
        long expected =
                Math.max(0, limiter.snapshot().limit() - IntStream.of(count).sum());
        long given = 0;
        while (given <= expected && limiter.tryAcquire() instanceof Permit) {
            given++;
        }
        if (given != expected) {
            throw new AssertionError(given + " given, not " + expected);
        }
    }

    /** The same, one step at a time. */
    abstract static class Sequential {
        private long limit;
        private int inFlight;
        private final int[] count = new int[3];

        Sequential(long limit, int heldByEach) {
            this.limit = limit;
            for (int i = 0; i < heldByEach * count.length; i++) {
                acquire(i % count.length);
            }
        }

        public boolean acquire(int thread) {
            if (inFlight >= limit) {
                return false;
            }
            inFlight++;
            count[thread]++;
            return true;
        }

        public boolean release(int thread) {
            if (count[thread] == 0) {
                return false;
            }
            inFlight--;
            count[thread]--;
            return true;
        }

        void limit(long changed) {
            limit = changed;
        }
    }
}
