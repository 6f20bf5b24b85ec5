package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/** The throughput under one limit: how much completed, and how much was lost. Counts are of permits, times in nanoseconds. */
record Throughput(double limit, double done, double lost, double nanos, int windows, double latency) {
    private static final double MOSTLY_LOST = 0.7;

    /** A difference of this many standard errors is beyond doubt. */
    static final double CLEAR = 3.5;

    /** Fewer completions than this are no evidence. */
    static final double FEW = 24;

    /** Throughput that grows by less than this power of the limit no longer follows it. */
    static final double GROWTH = 0.54;

    /** The logarithm of the growth that a doubled limit must bring. */
    static final double DOUBLING = GROWTH * StrictMath.log(2);

    static final Throughput NONE = new Throughput(0, 0, 0, 0, 0, 0);

    static Throughput of(Window window) {
        double latency = window.latencies().plus(window.older()).mean();
        double done = Math.max(0, (double) window.completed());
        double lost = Math.max(0, (double) window.dropped());
        return new Throughput(window.limit(), done, lost, window.nanos(), 1, latency);
    }

    Throughput plus(Throughput next) {
        double sum = done + next.done;
        double mean = sum == 0 ? 0 : (latency * done + next.latency * next.done) / sum;
        return new Throughput(next.limit, sum, lost + next.lost, nanos + next.nanos, windows + next.windows, mean);
    }

    /** In permits per nanosecond; 0 for {@link #NONE}. */
    double rate() {
        return nanos == 0 ? 0 : done / nanos;
    }

    Throughput under(double other) {
        return new Throughput(other, done, lost, nanos, windows, latency);
    }

    /** The same, with no more completions than at this rate. */
    Throughput atMost(double rate) {
        return new Throughput(limit, Math.min(done, rate * nanos), lost, nanos, windows, latency);
    }

    double allRate() {
        return (done + lost) / nanos;
    }

    double lostShare() {
        return lost / Math.max(1, done + lost);
    }

    boolean mostlyLost() {
        return lostShare() > MOSTLY_LOST;
    }

    /** The logarithm of the ratio of this rate and the other. */
    double over(Throughput other) {
        return StrictMath.log(rate() / other.rate());
    }

    /** The standard error of {@link #over}, with this squared coefficient of variation of latencies. */
    double error(Throughput other, double variation) {
        return StrictMath.sqrt(variation * (1 / done + 1 / other.done));
    }

    /** Returns true if fewer completed than at the other rate, beyond doubt. */
    boolean below(Throughput other, double variation) {
        double expected = other.rate() * nanos;
        double error = StrictMath.sqrt(Math.max(1, variation) * expected * (1 + expected / other.done));
        return other.done > 0 && expected >= FEW && expected - done > CLEAR * error;
    }

    /**
     * True if the higher limit made the server slower: clearly fewer completed, and latency grew by more than the limit did
     * (Little's law); in a pause, latencies of what completes stay the same.
     */
    boolean worse(Throughput fewer, double variation) {
        return fewer.limit < limit
                && below(fewer, variation)
                && (done == 0 || latency * fewer.limit > fewer.latency * limit);
    }

    /** True if the two rates differ beyond doubt. */
    boolean differs(Throughput other, double variation) {
        return done > 0 && other.done > 0 && Math.abs(over(other)) > CLEAR * error(other, variation);
    }
}
