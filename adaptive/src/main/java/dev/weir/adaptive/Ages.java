package dev.weir.adaptive;

import java.util.Objects;

/**
 * How long what is in flight has been so: a sample of the ages, and how many it stands for.
 *
 * @param sample in nanoseconds; may be thinned, so its count says nothing about how many are in flight
 * @param inFlight how many were in flight when it was taken
 */
public record Ages(Latencies sample, long inFlight) {
    /** Of nothing in flight, or where nothing is timed. */
    public static final Ages NONE = new Ages(Latencies.NONE, 0);

    /** Checks that the sample is there. */
    public Ages {
        Objects.requireNonNull(sample, "sample");
    }

    /** How many in flight are older than this, by estimate. */
    public double olderThan(double nanos) {
        return sample.count() == 0 ? 0 : (double) sample.above(nanos) / sample.count() * Math.max(0, inFlight);
    }
}
