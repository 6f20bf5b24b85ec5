package dev.weir.adaptive;

/** How much came through under one limit. */
record Throughput(double limit, double done, double nanos, int windows, double latency) {
    static final Throughput NONE = new Throughput(0, 0, 0, 0, 0);

    static Throughput of(Window window) {
        double latency = window.latencies().plus(window.older()).mean();
        return new Throughput(window.limit(), window.completed() + window.dropped(), window.nanos(), 1, latency);
    }

    Throughput plus(Throughput next) {
        double sum = done + next.done;
        double mean = sum == 0 ? 0 : (latency * done + next.latency * next.done) / sum;
        return new Throughput(next.limit, sum, nanos + next.nanos, windows + next.windows, mean);
    }

    double rate() {
        return done / nanos;
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
