package dev.weir.benchmarks.sim;

import java.util.SplittableRandom;

/** The distribution of a size of which only the order of magnitude is known: even on the logarithm. */
final class LogUniform {
    private LogUniform() {}

    /** A value between two that are above 0. */
    static double between(SplittableRandom random, double min, double max) {
        return min * StrictMath.pow(max / min, random.nextDouble());
    }
}
