package dev.weir.adaptive;

import java.util.Objects;

/**
 * The ages of calls in flight: a sample, and the number of calls that it stands for.
 *
 * @param sample in nanoseconds; its size says nothing about how many are in flight
 * @param inFlight the permits in flight when it was taken
 */
public record Ages(Latencies sample, long inFlight) {
    /** The ages if nothing is in flight, or nothing is timed. */
    public static final Ages NONE = new Ages(Latencies.NONE, 0);

    /** Checks that the sample is not null. */
    public Ages {
        Objects.requireNonNull(sample, "sample");
    }

    /** An estimate of the permits in flight that are older than this. */
    public double olderThan(double nanos) {
        return sample.count() == 0 ? 0 : (double) sample.countAbove(nanos) / sample.count() * Math.max(0, inFlight);
    }
}
