package dev.weir.benchmarks.sim;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One kind of work among those that arrive.
 *
 * @param share which share of the requests is of this kind
 * @param distribution of its size: {@code exponential}, {@code lognormal}, {@code uniform} or {@code constant}
 * @param meanMillis its mean at full speed
 * @param sigma of the lognormal; of the uniform, how far below and above the mean it reaches, as a share of the mean
 * @param apart what sets calls apart that are expected to be long; null for the usual ones
 */
record Work(
        double share,
        String distribution,
        double meanMillis,
        double sigma,
        @Nullable Apart apart) {
    /**
     * Calls whose callers know that they take long. Latency is not measured on them.
     *
     * @param timeoutMillis after how long their callers give up
     * @param waits whether they hold no worker: a long poll, a stream; they go to no station and last their size
     */
    record Apart(double timeoutMillis, boolean waits) {
        Apart {
            if (!(timeoutMillis > 0 && timeoutMillis <= 1e8)) {
                throw new IllegalArgumentException("timeoutMillis must be > 0 and at most 1e8, was " + timeoutMillis);
            }
        }
    }

    Work {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be within 0 and 1, was " + share);
        }
        if (distribution.equals("uniform") && !(sigma >= 0 && sigma <= 1)) {
            throw new IllegalArgumentException("sigma of the uniform must be within 0 and 1, was " + sigma);
        }
        if (!(meanMillis > 0)) {
            throw new IllegalArgumentException("meanMillis must be > 0, was " + meanMillis);
        }
        if (!Arrays.asList("exponential", "lognormal", "uniform", "constant").contains(distribution)) {
            throw new IllegalArgumentException(
                    "distribution must be exponential, lognormal, uniform or constant, was " + distribution);
        }
    }

    Work(double share, String distribution, double meanMillis, double sigma) {
        this(share, distribution, meanMillis, sigma, null);
    }

    static Work exponential(double share, double meanMillis) {
        return new Work(share, "exponential", meanMillis, 0);
    }

    /** The same with another share. */
    Work of(double other) {
        return new Work(other, distribution, meanMillis, sigma, apart);
    }

    /** True if it holds no worker. */
    boolean waits() {
        return apart != null && apart.waits;
    }

    /** A size in nanoseconds. */
    double draw(SplittableRandom random) {
        double mean = meanMillis * 1e6;
        return switch (distribution) {
            case "constant" -> mean;
            case "lognormal" -> mean * StrictMath.exp(sigma * Draws.gaussian(random) - sigma * sigma / 2);
            case "uniform" -> mean * (1 + sigma * (2 * random.nextDouble() - 1));
            default -> mean * Draws.exponential(random);
        };
    }
}
