package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/** How much came through under one limit, and how much was lost. */
record Throughput(double limit, double done, double lost, double nanos, int windows, double latency) {
    private static final double MOSTLY = 0.7;

    /** So many standard errors are beyond doubt. */
    static final double CLEAR = 3.5;

    /** Fewer completions than this tell nothing. */
    static final double FEW = 24;

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

    double rate() {
        return done / nanos;
    }

    /** As if the limit had been this. */
    Throughput under(double other) {
        return new Throughput(other, done, lost, nanos, windows, latency);
    }

    /** The same, or what comes out at this rate if that is less. */
    Throughput atMost(double rate) {
        return new Throughput(limit, Math.min(done, rate * nanos), lost, nanos, windows, latency);
    }

    /** With what was lost. */
    double allRate() {
        return (done + lost) / nanos;
    }

    double lostShare() {
        return lost / Math.max(1, done + lost);
    }

    boolean mostlyLost() {
        return lostShare() > MOSTLY;
    }

    /** The logarithm of this rate over another. */
    double over(Throughput other) {
        return StrictMath.log(rate() / other.rate());
    }

    /** The standard error of {@link #over}, for completions whose times vary so much (cv^2). */
    double error(Throughput other, double variation) {
        return StrictMath.sqrt(variation * (1 / done + 1 / other.done));
    }

    /** Whether less came out than that rate would have brought, by more than so many standard errors. */
    boolean below(Throughput other, double variation, double errors) {
        double expected = other.rate() * nanos;
        double error = StrictMath.sqrt(Math.max(1, variation) * expected * (1 + expected / other.done));
        return other.done > 0 && expected >= FEW && expected - done > errors * error;
    }

    /**
     * Whether more inside made the server slower: clearly less came out, and by latency too (Little's law), for in a
     * pause what comes out took no longer than before.
     */
    boolean worse(Throughput fewer, double variation) {
        return fewer.limit < limit
                && below(fewer, variation, CLEAR)
                && (done == 0 || latency * fewer.limit > fewer.latency * limit);
    }

    /** Whether two rates differ beyond doubt. */
    boolean differs(Throughput other, double variation) {
        return done > 0 && other.done > 0 && Math.abs(over(other)) > CLEAR * error(other, variation);
    }
}
