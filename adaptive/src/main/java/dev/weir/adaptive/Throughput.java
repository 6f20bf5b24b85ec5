package dev.weir.adaptive;

/** How much came through under one limit, and how much was lost. */
record Throughput(double limit, double done, double lost, double nanos, int windows, double latency) {
    private static final double MOSTLY = 0.7;

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

    /** Whether two rates differ by more than so many standard errors. */
    boolean differs(Throughput other, double variation, double errors) {
        return done > 0 && other.done > 0 && Math.abs(over(other)) > errors * error(other, variation);
    }
}
