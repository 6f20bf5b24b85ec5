package dev.weir.adaptive.warmup;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A controller for a cold start: the limit rises from a share of the full limit to all of it over a period, in about a hundred
 * steps of time. It is at least 1. Afterwards the limit is the full one, or that of another controller, which may already lower
 * it meanwhile.
 *
 * <pre>{@code
 * Ramp ramp = Ramp.before(new Crest(), 200, Duration.ofMinutes(2));
 * AdaptiveControl control = AdaptiveControl.of(limiter, ramp, Bounds.of(1, 500));
 * }</pre>
 *
 * <p>It starts over only after an idle time, and only with {@link Builder#coolAfterIdle}; other bounds and a limit set by
 * something else do not change how warm it is. With {@link Builder#unlessHealthy} it ends as soon as latencies are healthy.
 * One ramp serves one limit. Not thread-safe except {@link #why()}, which any thread may call.
 */
public final class Ramp implements Controller {
    /*
     * While the ramp limits below what the other controller wants, that controller still gets the windows and the limit in
     * force. A higher limit from it is no news, because it has not seen one. Only a limit below the one in force counts at
     * once; otherwise the limit that it wanted before applies as soon as the ramp allows it.
     */

    private static final String HEALTHY = "ramp.healthyNanos";
    private static final String WANTED = "ramp.wanted";
    private static final int STEPS = 100;
    private static final int SAMPLES = 10;
    private static final double WEIGHT = 0.1;

    private final Builder spec;
    private final @Nullable Controller then;
    private long start;
    private boolean started;
    private boolean seenAny;
    private long progress;
    private long lastAt;
    private long wanted;
    private @Nullable Window pending;
    private int calm;
    private boolean left;
    private volatile boolean warm;
    private double healthy;
    private double wantedBefore;
    private double trusted;
    private volatile String why = "ramp: cold";

    private Ramp(Builder spec) {
        this.spec = spec;
        then = spec.then;
        start = spec.start;
        started = spec.startGiven;
        healthy = spec.healthyNanos;
    }

    /**
     * A ramp to this limit over this period, linearly from a tenth of it.
     *
     * @throws IllegalArgumentException if full is less than 1 or the period not more than 0
     */
    public static Ramp to(long full, Duration period) {
        return builder(full, period).build();
    }

    /**
     * A ramp before another controller: the minimum of both while it lasts, then the limit of the other alone.
     *
     * @throws IllegalArgumentException if full is less than 1 or the period not more than 0
     */
    public static Ramp before(Controller then, long full, Duration period) {
        return builder(full, period).before(then).build();
    }

    /**
     * A builder of a ramp to this limit over this period.
     *
     * @throws IllegalArgumentException if full is less than 1 or the period not more than 0
     */
    public static Builder builder(long full, Duration period) {
        return new Builder(full, period);
    }

    /** Options of one ramp. Not thread-safe. */
    public static final class Builder {
        private static final Duration MIN_IDLE = Duration.ofSeconds(10);

        private final long full;
        private final long period;
        private RampCurve curve = RampCurve.LINEAR;
        private double floor = 0.1;
        private @Nullable Controller then;
        private boolean startGiven;
        private long start;
        private double healthyNanos;
        private double factor;
        private int windows;
        private long idleNanos;

        private Builder(long full, Duration period) {
            Require.that(full >= 1, "full must be >= 1", full);
            this.full = full;
            this.period = Durations.nanos("period", period);
        }

        /**
         * The shape of the rise. Default: linear. {@link RampCurve#WEIGHTED} is the load that a balancer sends with {@link
         * WarmUpWeights}.
         */
        public Builder along(RampCurve other) {
            curve = Objects.requireNonNull(other, "curve");
            return this;
        }

        /**
         * The share of the full limit to start from, more than 0 and at most 1. Default: 0.1.
         *
         * @throws IllegalArgumentException if it is not
         */
        public Builder from(double share) {
            Require.that(share > 0 && share <= 1, "share must be > 0 and <= 1", share);
            floor = share;
            return this;
        }

        /** The controller that may lower the limit meanwhile, and decides it afterwards. It must not serve another limit. */
        public Builder before(Controller other) {
            then = Objects.requireNonNull(other, "then");
            return this;
        }

        /**
         * The start of the period as a reading of the limiter's ticker, such as the start of the process. Default: the first
         * window. Before the first window the limit is that of the start in any case.
         */
        public Builder since(long reading) {
            start = reading;
            startGiven = true;
            return this;
        }

        /**
         * Ends the ramp early when this many windows in a row have no losses and a mean latency of at most {@code factor}
         * times a healthy one. Only windows with demand and at least ten latencies count.
         *
         * @throws IllegalArgumentException if the latency is not more than 0, the factor is less than 1 or not finite, or
         *     windows less than 1
         */
        public Builder unlessHealthy(Duration healthyLatency, double factor, int windows) {
            healthyNanos = Durations.nanos("healthyLatency", healthyLatency);
            return early(factor, windows);
        }

        /**
         * As {@link #unlessHealthy}, with the mean latency of an earlier process when it was warm, restored from
         * {@link dev.weir.adaptive.SavedState}. If none is known the ramp takes its full time.
         *
         * @throws IllegalArgumentException if the factor is less than 1 or not finite, or windows less than 1
         */
        public Builder unlessHealthyAsBefore(double factor, int windows) {
            healthyNanos = 0;
            return early(factor, windows);
        }

        private Builder early(double within, int inARow) {
            Require.that(within >= 1 && within < Double.POSITIVE_INFINITY, "factor must be >= 1 and finite", within);
            Require.that(inARow >= 1, "windows must be >= 1", inARow);
            factor = within;
            windows = inARow;
            return this;
        }

        /**
         * Starts over when there were no requests and nothing was in flight for this long, 10 s or more; seen in the first
         * window afterwards, until which the limit stays as it was. Default: never.
         *
         * @throws IllegalArgumentException if it is less than 10 s
         */
        public Builder coolAfterIdle(Duration idle) {
            idleNanos = Durations.nanos("idle", idle);
            Require.that(idle.compareTo(MIN_IDLE) >= 0, "idle must be >= " + MIN_IDLE, idle);
            return this;
        }

        /** Builds the ramp. */
        public Ramp build() {
            return new Ramp(this);
        }
    }

    @Override
    public long start(long limit) {
        wanted = then == null ? spec.full : Math.max(1, then.start(asWantedBefore(limit)));
        return Math.min(cap(), wanted);
    }

    /* The process before may have ended on its ramp, wanting a higher limit than the one in force. */
    private long asWantedBefore(long limit) {
        return wantedBefore <= limit ? limit : Math.round(limit * StrictMath.pow(wantedBefore / limit, trusted));
    }

    @Override
    public boolean enough(Window window) {
        if (!warm || coolsIn(window)) {
            return window.nanos() >= spec.period / STEPS;
        }
        return then == null ? Controller.super.enough(window) : then.enough(withPending(window));
    }

    @Override
    public long next(Window window, long limit) {
        if (warm && !coolsIn(window)) {
            wanted = limit;
        }
        keepTime(window);
        watchLatency(window);
        long next = then == null ? spec.full : limitOf(then, window, limit);
        if (warm) {
            why = left ? "ramp: left early, latency is healthy" : "ramp: warm";
            return next;
        }
        long cap = cap();
        why = "ramp: at most " + cap + ", " + progress * STEPS / spec.period + " % of the period";
        return Math.min(cap, next);
    }

    private boolean coolsIn(Window window) {
        return spec.idleNanos > 0 && seenAny && window.at() - window.nanos() - lastAt >= spec.idleNanos;
    }

    private void keepTime(Window window) {
        long began = window.at() - window.nanos();
        if (!started || coolsIn(window)) {
            start = began;
            progress = 0;
            calm = 0;
            left = false;
            warm = false;
        }
        started = true;
        seenAny = true;
        lastAt = window.at();
        long elapsed = window.at() - start;
        if (elapsed < progress) {
            start = window.at() - progress; // the clock went back
        } else if (!warm) {
            progress = Math.min(elapsed, spec.period);
            warm = progress == spec.period;
        }
    }

    private void watchLatency(Window window) {
        Latencies latencies = window.latencies().plus(window.older());
        if (spec.windows == 0 || latencies.count() < SAMPLES) {
            return;
        }
        double mean = latencies.mean();
        if (warm) {
            if (spec.healthyNanos == 0 && window.dropped() == 0) {
                healthy = healthy == 0 ? mean : healthy + WEIGHT * (mean - healthy);
            }
        } else if (healthy > 0 && window.hasDemand()) {
            calm = window.dropped() == 0 && mean <= spec.factor * healthy ? calm + 1 : 0;
            left = calm >= spec.windows;
            warm = left;
        }
    }

    private long limitOf(Controller other, Window window, long limit) {
        if (wanted == 0) {
            wanted = limit;
        }
        Window seen = withPending(window);
        if (!other.enough(seen)) {
            pending = seen;
            return wanted;
        }
        pending = null;
        long next = other.next(seen, limit);
        wanted = next < limit || wanted <= limit ? next : Math.max(wanted, next);
        return wanted;
    }

    private Window withPending(Window window) {
        return pending == null ? window : pending.plus(window);
    }

    private long cap() {
        double share = spec.curve.share(spec.floor, (double) progress / spec.period);
        return Math.max(1, Math.round(share * spec.full));
    }

    @Override
    public String why() {
        return warm && then != null ? then.why() : why;
    }

    @Override
    public Set<String> signals() {
        return then == null ? Set.of() : then.signals();
    }

    /**
     * The values of the other controller; the limit it wants, while that is not in force yet; and the healthy latency, if
     * the next process needs it.
     */
    @Override
    public Map<String, Double> learned() {
        Map<String, Double> learned = new HashMap<>(then == null ? Map.of() : then.learned());
        if (then != null && !warm && wanted > 0) {
            learned.put(WANTED, (double) wanted);
        }
        if (spec.windows > 0 && spec.healthyNanos == 0 && healthy > 0) {
            learned.put(HEALTHY, healthy);
        }
        return learned;
    }

    /** A healthy latency does not age as a limit does: it is restored with any trust above 0. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double latency = learned.getOrDefault(HEALTHY, 0.0);
        if (spec.healthyNanos == 0 && trust > 0 && latency > 0 && latency < Double.POSITIVE_INFINITY) {
            healthy = latency;
        }
        double limit = learned.getOrDefault(WANTED, 0.0);
        wantedBefore = limit < Long.MAX_VALUE ? limit : 0;
        trusted = trust;
        if (then != null) {
            then.restore(learned, trust);
        }
    }
}
