package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.internal.Require;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A controller that follows the ratio of the latency without load and the current one, and measures the former by removing the
 * load. With the median {@code r} of a window and that at a concurrency of three {@code r0},
 * {@code g = clamp(1.25 r0/r, 0.5, 2)}, {@code l = g L} and {@code L = floor(l + sqrt l)}, at least 3, ten times per second.
 * {@code r0} is measured under the first demand, then every minute and up to 15 % longer, and after five limits of 3 in a row:
 * the limit is lowered to 3 until fifty calls that began after that have completed, and raised again.
 *
 * <p>Source: the gradient controller of Envoy's adaptive concurrency filter. Deviations: the original waits for the
 * fifty without a limit; this one waits for ten seconds, and if fewer than five have completed by then, the old {@code r0}
 * stays in force for another minute, and without one the limit stays as it is. The original raises the limit without demand,
 * up to its maximum; here it stays. Time is the length of the windows, so idle hours do not count.
 *
 * <p>Known weakness: a measurement refuses nearly all requests while it lasts, and the latency at 3 says little where latency
 * rises well before throughput reaches its maximum. If a dependency becomes slower it lowers the limit down to 3, and admits
 * too much for up to a minute after that has recovered. It suits fast services with many calls per second and a sharp knee.
 *
 * <p>Its random numbers come from a seed: the same windows give the same limits. Not thread-safe except {@link #why()}, which
 * any thread may call.
 */
public final class EnvoyGradient implements Controller {
    private static final String NO_LOAD = "no-load";
    private static final Duration DEFAULT_PERIOD = Duration.ofSeconds(60);
    private static final long DEFAULT_SEED = 0x5EED;
    private static final double JITTER = 0.15;
    private static final double BUFFER = 1.25;
    private static final long MIN = 3;
    private static final int LOW_IN_A_ROW = 5;
    private static final int WANTED = 50;
    private static final int USABLE = 5;
    private static final long SHORT = 100_000_000;
    private static final long MAX_MEASUREMENT = 10_000_000_000L;

    /** The purpose of the next window. */
    private enum Stage {
        FOLLOW,
        MEASURE,
        RECOVER
    }

    private final double period;
    private final SplittableRandom random;
    private final FractionalLimit current = new FractionalLimit("envoy");
    private Stage stage = Stage.FOLLOW;
    private double noLoad;
    private double due;
    private double high;
    private long before;
    private int lows;

    /** Measures every minute, with the default seed. */
    public EnvoyGradient() {
        this(DEFAULT_PERIOD, DEFAULT_SEED);
    }

    /**
     * Measures at these intervals.
     *
     * @param period at least a second
     * @param seed any; instances with different seeds do not measure at the same time
     * @throws IllegalArgumentException if the period is shorter
     */
    public EnvoyGradient(Duration period, long seed) {
        Require.that(period.compareTo(Duration.ofSeconds(1)) >= 0, "period must be >= PT1S", period);
        this.period = period.getSeconds() * 1e9 + period.getNano();
        this.random = new SplittableRandom(seed);
    }

    /** After 100 ms; while it measures, after fifty latencies or ten seconds. */
    @Override
    public boolean enough(Window window) {
        if (stage == Stage.MEASURE && !falling(window)) {
            return window.latencies().count() >= WANTED || window.nanos() >= MAX_MEASUREMENT;
        }
        return window.nanos() >= SHORT;
    }

    @Override
    public long next(Window window, long limit) {
        double exact = current.at(limit);
        due -= window.nanos();
        return switch (stage) {
            case FOLLOW -> follow(window, exact);
            case MEASURE -> measure(window);
            case RECOVER -> recover(window, limit);
        };
    }

    private long follow(Window window, double exact) {
        if (!window.hasDemand()) {
            return current.stay("no demand");
        }
        if (due <= 0 || lows >= LOW_IN_A_ROW) {
            stage = Stage.MEASURE;
            high = exact;
            before = window.limit();
            return current.to(MIN, "measuring without load");
        }
        double latency = window.latencies().plus(window.older()).quantile(0.5);
        if (noLoad == 0 || !(latency > 0)) {
            return current.stay("no latencies");
        }
        double gradient = Math.max(0.5, Math.min(BUFFER * noLoad / latency, 2));
        String rule = Math.round(100 * gradient) + " % by " + Math.round(latency / 1000) + " us over "
                + Math.round(noLoad / 1000) + " us";
        double scaled = gradient * exact;
        long next = current.to(Math.max(MIN, Math.floor(scaled + Math.sqrt(scaled))), rule);
        lows = next == MIN ? lows + 1 : 0;
        return next;
    }

    /* Bounds may lower the limit only step by step, or not as far as 3: it has arrived when it falls no more. */
    private boolean falling(Window window) {
        return window.limit() > MIN && window.limit() < before;
    }

    private long measure(Window window) {
        if (falling(window)) {
            before = window.limit();
            return current.to(MIN);
        }
        Latencies fresh = window.latencies();
        boolean measured = fresh.count() >= USABLE && fresh.quantile(0.5) > 0;
        if (measured) {
            noLoad = fresh.quantile(0.5);
        }
        due = period * (1 + JITTER * random.nextDouble());
        lows = 0;
        before = 0;
        stage = Stage.RECOVER;
        return current.to(
                high, measured ? Math.round(noLoad / 1000) + " us without load" : "too few latencies without load");
    }

    /* Raises it again, also step by step if the bounds prescribe it. */
    private long recover(Window window, long limit) {
        if (limit < (long) high && limit > before) {
            before = limit;
            return current.to(high);
        }
        stage = Stage.FOLLOW;
        return follow(window, current.at(limit));
    }

    @Override
    public String why() {
        return current.why();
    }

    @Override
    public Map<String, Double> learned() {
        return noLoad == 0 ? Map.of() : Map.of(NO_LOAD, noLoad);
    }

    /** Restores the latency without load if the trust is more than 0; the less trust, the sooner it is measured again. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double trusted = RestoredValues.trust(trust);
        double saved = RestoredValues.latency(learned, NO_LOAD);
        if (saved > 0 && trusted > 0) {
            noLoad = saved;
            due = period * trusted;
        }
    }
}
