package dev.weir.benchmarks.sim;

import java.util.SplittableRandom;

/** Draws from distributions, the same on every machine. */
public final class Draws {
    private Draws() {}

    /** Draws a size of which only the order of magnitude is known, between two that are above 0: even on the logarithm. */
    static double between(SplittableRandom random, double min, double max) {
        return min * StrictMath.pow(max / min, random.nextDouble());
    }

    /** Draws from the exponential distribution with a mean of 1. */
    public static double exponential(SplittableRandom random) {
        return -StrictMath.log(1 - random.nextDouble());
    }

    /** Draws from the normal distribution with a deviation of 1, as Box and Muller. */
    public static double gaussian(SplittableRandom random) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
        return radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
    }
}
