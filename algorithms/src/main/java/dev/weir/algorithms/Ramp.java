package dev.weir.algorithms;

import java.math.BigInteger;

/** The steps of a warm-up, worked out once; each is taken when its part of the period has passed, never before. */
final class Ramp {
    static final int STEPS = 256;

    /* Fractions of the limit are integers over 2^30. */
    private static final int ONE_BITS = 30;

    final long period;
    private final long stepNanos;
    private final int[] fractions = new int[STEPS + 1];

    Ramp(WarmUp spec) {
        period = spec.period().toNanos();
        stepNanos = (period - 1) / STEPS + 1;
        for (int step = 0; step < STEPS; step++) {
            double fraction = spec.curve().fraction(spec.floorPercent() / 100.0, (double) step / STEPS);
            fractions[step] = (int) (fraction * (1 << ONE_BITS));
        }
        fractions[STEPS] = 1 << ONE_BITS;
    }

    int stepAt(long elapsed) {
        return elapsed >= period ? STEPS : (int) (elapsed / stepNanos);
    }

    long startOf(int step) {
        return Math.min(step * stepNanos, period);
    }

    /** The limit of a step, rounded up. */
    long limit(int step, long full) {
        long high = Math.multiplyHigh(full, fractions[step]);
        long low = full * fractions[step];
        long floor = high << (64 - ONE_BITS) | low >>> ONE_BITS;
        return (low & ((1L << ONE_BITS) - 1)) == 0 ? floor : floor + 1;
    }

    /** What takes so long at the limit of one step, at that of a later one, rounded up. */
    long rescaled(long nanos, int from, int to, long full) {
        long slow = limit(from, full);
        long fast = limit(to, full);
        long product = nanos * slow;
        if (Math.multiplyHigh(nanos, slow) == 0 && product >= 0) {
            return product / fast + (product % fast == 0 ? 0 : 1);
        }
        BigInteger work = BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(slow));
        return work.add(BigInteger.valueOf(fast - 1))
                .divide(BigInteger.valueOf(fast))
                .longValue();
    }
}
