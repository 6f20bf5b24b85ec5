package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Follows the ratio of the latency without load to the present one, and measures the former by taking the load away: with
 * the median {@code r} of a window and that at a concurrency of three {@code r0}, {@code g = clamp(1.25 r0/r, 0.5, 2)},
 * {@code l = g L} and {@code L = floor(l + sqrt l)}, at least 3, ten times a second. {@code r0} is measured under the first
 * demand, then every minute and up to 15 % longer, and after five answers of 3 in a row: the limit goes down to 3 until
 * fifty calls begun since then have returned, and comes back.
 *
 * <p>SignalSource: the gradient controller of Envoy's adaptive concurrency filter. Deviations: the original waits for the fifty
 * for ever; here ten seconds must do, and if fewer than five have returned by then, the old {@code r0} stays in force for
 * another minute and without one the limit stays as it is. The original moves without demand, up to its maximum; here it
 * stays. Time is that of the windows judged, so idle hours do not count.
 *
 * <p>Known weakness: a measurement refuses nearly everything while it lasts, and the latency at three says little about the
 * best one where latency rises well before throughput peaks. It follows a dependency that grows slower down to 3, and lets
 * in too much for up to a minute after it has recovered. For fast services with many calls a second and a sharp knee.
 *
 * <p>Its random numbers come from a seed: equal windows have equal answers. Keeps a few numbers; not thread-safe but for
 * {@link #why()}.
 */
public final class EnvoyGradient implements Controller {
    private static final String NO_LOAD = "no-load";
    private static final Duration USUAL_PERIOD = Duration.ofSeconds(60);
    private static final long USUAL_SEED = 0x5EED;
    private static final double JITTER = 0.15;
    private static final double BUFFER = 1.25;
    private static final long LEAST = 3;
    private static final int LOW_IN_A_ROW = 5;
    private static final int WANTED = 50;
    private static final int USABLE = 5;
    private static final long SHORT = 100_000_000;
    private static final long PATIENCE = 10_000_000_000L;

    /** What to do with the next window. */
    private enum Stage {
        FOLLOW,
        MEASURE,
        COME_BACK
    }

    private final double period;
    private final SplittableRandom random;
    private final FractionalLimit level = new FractionalLimit();
    private Stage stage = Stage.FOLLOW;
    private double noLoad;
    private double due;
    private double high;
    private long before;
    private int lows;
    private volatile String why = "envoy: nothing yet";

    /** Measures every minute, with the usual seed. */
    public EnvoyGradient() {
        this(USUAL_PERIOD, USUAL_SEED);
    }

    /**
     * Measures at intervals of one's own.
     *
     * @param period at least a second
     * @param seed any; another one for each of a fleet, so that they do not measure in step
     * @throws IllegalArgumentException if the period is shorter
     */
    public EnvoyGradient(Duration period, long seed) {
        if (period.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("period must be >= PT1S, was " + period);
        }
        this.period = period.getSeconds() * 1e9 + period.getNano();
        this.random = new SplittableRandom(seed);
    }

    /** 100 ms; while it measures, fifty latencies or ten seconds. */
    @Override
    public boolean enough(Window window) {
        if (stage == Stage.MEASURE && !sinking(window)) {
            return window.latencies().count() >= WANTED || window.nanos() >= PATIENCE;
        }
        return window.nanos() >= SHORT;
    }

    @Override
    public long next(Window window, long limit) {
        double present = level.at(limit);
        due -= window.nanos();
        return switch (stage) {
            case FOLLOW -> follow(window, present);
            case MEASURE -> measure(window);
            case COME_BACK -> comeBack(window, limit);
        };
    }

    private long follow(Window window, double present) {
        if (!window.hasDemand()) {
            why = "envoy: no demand";
            return level.stay();
        }
        if (due <= 0 || lows >= LOW_IN_A_ROW) {
            stage = Stage.MEASURE;
            high = present;
            before = window.limit();
            why = "envoy: measuring without load";
            return level.to(LEAST);
        }
        double latency = window.latencies().plus(window.older()).quantile(0.5);
        if (noLoad == 0 || !(latency > 0)) {
            why = "envoy: no latencies";
            return level.stay();
        }
        double gradient = Math.max(0.5, Math.min(BUFFER * noLoad / latency, 2));
        why = "envoy: " + Math.round(100 * gradient) + " % by " + Math.round(latency / 1000) + " us over "
                + Math.round(noLoad / 1000) + " us";
        double scaled = gradient * present;
        long answer = level.to(Math.max(LEAST, Math.floor(scaled + Math.sqrt(scaled))));
        lows = answer == LEAST ? lows + 1 : 0;
        return answer;
    }

    /* Bounds may let the limit down only step by step, or not to three at all: it has arrived where it sinks no more. */
    private boolean sinking(Window window) {
        return window.limit() > LEAST && window.limit() < before;
    }

    private long measure(Window window) {
        if (sinking(window)) {
            before = window.limit();
            return level.to(LEAST);
        }
        Latencies fresh = window.latencies();
        if (fresh.count() >= USABLE && fresh.quantile(0.5) > 0) {
            noLoad = fresh.quantile(0.5);
            why = "envoy: " + Math.round(noLoad / 1000) + " us without load";
        } else {
            why = "envoy: too few latencies without load";
        }
        due = period * (1 + JITTER * random.nextDouble());
        lows = 0;
        before = 0;
        stage = Stage.COME_BACK;
        return level.to(high);
    }

    /* Up again, step by step as well if the bounds want it so. */
    private long comeBack(Window window, long limit) {
        if (limit < (long) high && limit > before) {
            before = limit;
            return level.to(high);
        }
        stage = Stage.FOLLOW;
        return follow(window, level.at(limit));
    }

    @Override
    public String why() {
        return why;
    }

    @Override
    public Map<String, Double> learned() {
        return noLoad == 0 ? Map.of() : Map.of(NO_LOAD, noLoad);
    }

    /** Takes the latency without load up if it is trusted at all; the less it is, the sooner it is measured anew. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double holds = RestoredValues.trust(trust);
        double kept = RestoredValues.latency(learned, NO_LOAD);
        if (kept > 0 && holds > 0) {
            noLoad = kept;
            due = period * holds;
        }
    }
}
