package dev.weir.benchmarks.sim;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One kind of work among those that arrive.
 *
 * @param share which share of the requests is of this kind
 * @param distribution of its size: {@code exponential}, {@code lognormal} or {@code constant}
 * @param meanMillis its mean at full speed
 * @param sigma of the lognormal
 */
record Work(double share, String distribution, double meanMillis, double sigma) {
    Work {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be within 0 and 1, was " + share);
        }
        if (!(meanMillis > 0)) {
            throw new IllegalArgumentException("meanMillis must be > 0, was " + meanMillis);
        }
        if (!Arrays.asList("exponential", "lognormal", "constant").contains(distribution)) {
            throw new IllegalArgumentException(
                    "distribution must be exponential, lognormal or constant, was " + distribution);
        }
    }

    static Work exponential(double share, double meanMillis) {
        return new Work(share, "exponential", meanMillis, 0);
    }

    /** A size in nanoseconds. */
    double draw(SplittableRandom random) {
        double mean = meanMillis * 1e6;
        return switch (distribution) {
            case "constant" -> mean;
            case "lognormal" -> mean * StrictMath.exp(sigma * gaussian(random) - sigma * sigma / 2);
            default -> -mean * StrictMath.log(1 - random.nextDouble());
        };
    }

    /* Box and Muller. */
    private static double gaussian(SplittableRandom random) {
        return StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
                * StrictMath.cos(2 * Math.PI * random.nextDouble());
    }
}
