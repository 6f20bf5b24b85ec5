package dev.weir.verification.growth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * A comparison of one operation beside few and beside many keys, tenants or waiters, by the processor time of the thread and
 * by counted steps.
 *
 * @param operation leaves as many behind as it found
 * @param steps the counted steps of all operations until now
 */
record Growth(Runnable operation, LongSupplier steps) {
    /*
     * Other programs on the machine only make a round slower, so the fastest of some rounds is the cost. The rounds of both
     * sizes alternate, and go on until the bound is kept: if it cannot be, all of them say so.
     */
    private static final int FEW = 100;
    private static final int BOUND = 4;
    private static final int OPERATIONS = 100;
    private static final int LEAST_ROUNDS = 5;
    private static final int MOST_ROUNDS = 200;
    private static final long MOST_NANOS = 2_000_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Asserts that an operation takes at most four times the time, and no more steps, if there are this many times 100. */
    static void assertFlat(int times, IntFunction<Growth> sized) {
        Growth few = sized.apply(FEW);
        Growth many = sized.apply(FEW * times);
        long start = THREADS.getCurrentThreadCpuTime();
        long fastestOfFew = Long.MAX_VALUE;
        long fastestOfMany = Long.MAX_VALUE;
        boolean isFlat = false;
        for (int round = 0; !isFlat && round < MOST_ROUNDS; round++) {
            if (round >= LEAST_ROUNDS && THREADS.getCurrentThreadCpuTime() - start > MOST_NANOS) {
                break;
            }
            fastestOfFew = Math.min(fastestOfFew, few.nanos());
            fastestOfMany = Math.min(fastestOfMany, many.nanos());
            isFlat = round >= LEAST_ROUNDS && fastestOfMany <= BOUND * fastestOfFew;
        }
        String found = fastestOfFew / OPERATIONS + " ns beside " + FEW + ", " + fastestOfMany / OPERATIONS
                + " ns beside " + FEW * times;
        assertEquals(few.stepsOfARound(), many.stepsOfARound(), "steps of " + OPERATIONS + ": " + found);
        assertEquals(true, isFlat, found);
        System.out.println("growth: " + found);
    }

    private long nanos() {
        long before = THREADS.getCurrentThreadCpuTime();
        round();
        return THREADS.getCurrentThreadCpuTime() - before;
    }

    private long stepsOfARound() {
        long before = steps.getAsLong();
        round();
        return steps.getAsLong() - before;
    }

    private void round() {
        for (int i = 0; i < OPERATIONS; i++) {
            operation.run();
        }
    }
}
