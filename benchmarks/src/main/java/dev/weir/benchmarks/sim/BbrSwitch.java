package dev.weir.benchmarks.sim;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalDouble;

/**
 * Opens and shuts with the CPU: as long as the signal {@code "cpu"} is below its threshold there is no limit
 * ({@link Long#MAX_VALUE}, which the bounds make theirs); from there on {@code L = floor(X * r)} with the best throughput
 * {@code X} and the least mean latency {@code r} of the windows of the last ten seconds, at least 1.
 *
 * <p>Source: named after TCP BBR (Cardwell et al., 2016); the switch as in Kratos and Sentinel.
 *
 * <p>Known weakness, and why not to use it: under load for ten seconds the least latency is that of the queue, and the
 * product is just what is in flight. The switch confirms whatever it finds, and does not lead out of an overload. It is blind
 * to all that costs no CPU: pools, locks, dependencies. It is here to compare with.
 *
 * <p>Without a reading, or with one outside 0 to 1, the limit stays. Keeps 128 windows at most; not thread-safe but for
 * {@link #why()}.
 */
final class BbrSwitch implements Controller {
    private static final String SIGNAL = "cpu";
    private static final double USUAL_THRESHOLD = 0.8;
    private static final long REMEMBERED = 10_000_000_000L;
    private static final int MAX = 128;

    private record Pass(long at, double throughput, double latency) {}

    private final double threshold;
    private final Deque<Pass> passes = new ArrayDeque<>();
    private volatile String why = "bbr: nothing yet";

    /** Shuts at a load of four fifths. */
    BbrSwitch() {
        this(USUAL_THRESHOLD);
    }

    /**
     * Shuts at a load of one's own.
     *
     * @param threshold more than 0, at most 1
     * @throws IllegalArgumentException if it is not
     */
    BbrSwitch(double threshold) {
        if (!(threshold > 0 && threshold <= 1)) {
            throw new IllegalArgumentException("threshold must be > 0 and <= 1, was " + threshold);
        }
        this.threshold = threshold;
    }

    @Override
    public long next(Window window, long limit) {
        remember(window);
        OptionalDouble reading = window.signal(SIGNAL);
        double cpu = reading.orElse(Double.NaN);
        if (!(cpu >= 0 && cpu <= 1)) {
            why = "bbr: no reading of the cpu";
            return Math.max(1, limit);
        }
        if (cpu < threshold) {
            why = "bbr: cpu at " + Math.round(100 * cpu) + " %";
            return Long.MAX_VALUE;
        }
        if (passes.isEmpty()) {
            why = "bbr: no latencies";
            return Math.max(1, limit);
        }
        double throughput = 0;
        double latency = Double.POSITIVE_INFINITY;
        for (Pass pass : passes) {
            throughput = Math.max(throughput, pass.throughput());
            latency = Math.min(latency, pass.latency());
        }
        why = "bbr: cpu at " + Math.round(100 * cpu) + " %, " + Math.round(throughput) + "/s of "
                + Math.round(latency / 1000) + " us";
        return Math.max(1, (long) (throughput * latency / 1e9));
    }

    private void remember(Window window) {
        double latency = window.latencies().mean();
        if (window.completed() > 0 && latency > 0) {
            passes.addLast(new Pass(window.at(), window.throughput(), latency));
        }
        passes.removeIf(pass -> window.at() - pass.at() < 0 || window.at() - pass.at() >= REMEMBERED);
        if (passes.size() > MAX) {
            passes.removeFirst();
        }
    }

    @Override
    public String why() {
        return why;
    }
}
