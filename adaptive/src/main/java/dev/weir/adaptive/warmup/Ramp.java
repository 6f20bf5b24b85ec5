package dev.weir.adaptive.warmup;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.internal.Durations;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cold start: the limit rises from a share of the full one to all of it over a period, by the time of the windows
 * alone, in about a hundred steps. Never zero. Afterwards the limit is the full one, or up to another controller, which
 * meanwhile may ask for less.
 *
 * <p>It goes cold again only after idleness, and only if asked to; other bounds and a limit set by another hand change
 * nothing about how warm it is. If asked to, it is over as soon as latencies are healthy. One ramp serves one limit.
 */
public final class Ramp implements Controller {
    /*
     * While the ramp holds the limit below what the other controller wants, that one is asked about the limit in force,
     * as ever, but a rise is no news: it cannot tell what it has not seen. Only an answer below the limit in force counts
     * at once; else what it wanted before is remembered until the ramp lets it have that.
     */

    private static final String HEALTHY = "ramp.healthyNanos";
    private static final String WANTED = "ramp.wanted";
    private static final int STEPS = 100;
    private static final int SAMPLES = 10;
    private static final double WEIGHT = 0.1;

    private final Builder terms;
    private final @Nullable Controller then;
    private long start;
    private boolean started;
    private boolean seenAny;
    private long progress;
    private long lastAt;
    private long wanted;
    private @Nullable Window unjudged;
    private int calm;
    private boolean left;
    private volatile boolean warm;
    private double healthy;
    private double wantedBefore;
    private double trusted;
    private volatile String why = "ramp: cold";

    private Ramp(Builder terms) {
        this.terms = terms;
        then = terms.then;
        start = terms.start;
        started = terms.startGiven;
        healthy = terms.healthyNanos;
    }

    /** To this limit over this period, linearly from a tenth of it. */
    public static Ramp to(long full, Duration period) {
        return builder(full, period).build();
    }

    /** The same before another controller: the lesser of both while it lasts, then that one's alone. */
    public static Ramp before(Controller then, long full, Duration period) {
        return builder(full, period).before(then).build();
    }

    /**
     * To this limit over this period.
     *
     * @throws IllegalArgumentException if full is less than 1 or the period not more than 0
     */
    public static Builder builder(long full, Duration period) {
        return new Builder(full, period);
    }

    /** What a ramp is made of; not thread-safe, and of one ramp. */
    public static final class Builder {
        private static final Duration LEAST_IDLE = Duration.ofSeconds(10);

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
            if (full < 1) {
                throw new IllegalArgumentException("full must be >= 1, was " + full);
            }
            this.full = full;
            this.period = Durations.nanos("period", period);
        }

        /** How it rises; linearly by default. {@link RampCurve#WEIGHTED} is what a balancer by {@link WarmUpWeights} sends. */
        public Builder along(RampCurve other) {
            curve = Objects.requireNonNull(other, "curve");
            return this;
        }

        /** The share to start from, more than 0 and at most 1; a tenth unless told. */
        public Builder from(double share) {
            if (!(share > 0 && share <= 1)) {
                throw new IllegalArgumentException("share must be > 0 and <= 1, was " + share);
            }
            floor = share;
            return this;
        }

        /** Who may ask for less meanwhile, and judges afterwards. It belongs to the ramp from now on. */
        public Builder before(Controller other) {
            then = Objects.requireNonNull(other, "then");
            return this;
        }

        /**
         * Counted from this reading of the limiter's ticker, such as the process's start; else from the first window. Until
         * the first window the limit is the coldest in any case.
         */
        public Builder since(long reading) {
            start = reading;
            startGiven = true;
            return this;
        }

        /**
         * Over early when so many windows in a row, of those with demand and at least ten latencies, lose nothing to load
         * and have a mean latency of at most {@code factor} times a healthy one.
         *
         * @throws IllegalArgumentException if the latency is not more than 0, the factor is less than 1 or not finite, or
         *     windows less than 1
         */
        public Builder unlessHealthy(Duration healthyLatency, double factor, int windows) {
            healthyNanos = Durations.nanos("healthyLatency", healthyLatency);
            return early(factor, windows);
        }

        /**
         * The same with the mean latency that an earlier process had when it was warm, kept over the restart ({@link
         * SavedStateFile}). Where none is known the ramp takes its full time.
         */
        public Builder unlessHealthyAsBefore(double factor, int windows) {
            healthyNanos = 0;
            return early(factor, windows);
        }

        private Builder early(double within, int inARow) {
            if (!(within >= 1 && within < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("factor must be >= 1 and finite, was " + within);
            }
            if (inARow < 1) {
                throw new IllegalArgumentException("windows must be >= 1, was " + inARow);
            }
            factor = within;
            windows = inARow;
            return this;
        }

        /**
         * Cold again when nothing was asked and nothing was going on for so long, 10 s or more; never unless told. Noticed
         * in the first window afterwards, until when the limit stays as it was.
         */
        public Builder coolAfterIdle(Duration idle) {
            idleNanos = Durations.nanos("idle", idle);
            if (idle.compareTo(LEAST_IDLE) < 0) {
                throw new IllegalArgumentException("idle must be >= " + LEAST_IDLE + ", was " + idle);
            }
            return this;
        }

        /** The ramp. */
        public Ramp build() {
            return new Ramp(this);
        }
    }

    @Override
    public long start(long limit) {
        wanted = then == null ? terms.full : Math.max(1, then.start(asWantedBefore(limit)));
        return Math.min(cap(), wanted);
    }

    /* The process before may have ended on its ramp, with more in mind than it had in force. */
    private long asWantedBefore(long limit) {
        return wantedBefore <= limit ? limit : Math.round(limit * StrictMath.pow(wantedBefore / limit, trusted));
    }

    @Override
    public boolean enough(Window window) {
        if (!warm || coolsIn(window)) {
            return window.nanos() >= terms.period / STEPS;
        }
        return then == null ? Controller.super.enough(window) : then.enough(withUnjudged(window));
    }

    @Override
    public long next(Window window, long limit) {
        if (warm && !coolsIn(window)) {
            wanted = limit;
        }
        keepTime(window);
        watchLatency(window);
        long asked = then == null ? terms.full : asked(then, window, limit);
        if (warm) {
            why = left ? "ramp: left early, latency is healthy" : "ramp: warm";
            return asked;
        }
        long cap = cap();
        why = "ramp: at most " + cap + ", " + progress * STEPS / terms.period + " % of the period";
        return Math.min(cap, asked);
    }

    private boolean coolsIn(Window window) {
        return terms.idleNanos > 0 && seenAny && window.at() - window.nanos() - lastAt >= terms.idleNanos;
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
            start = window.at() - progress; // the clock ran back
        } else if (!warm) {
            progress = Math.min(elapsed, terms.period);
            warm = progress == terms.period;
        }
    }

    private void watchLatency(Window window) {
        Latencies latencies = window.latencies().plus(window.older());
        if (terms.windows == 0 || latencies.count() < SAMPLES) {
            return;
        }
        double mean = latencies.mean();
        if (warm) {
            if (terms.healthyNanos == 0 && window.dropped() == 0) {
                healthy = healthy == 0 ? mean : healthy + WEIGHT * (mean - healthy);
            }
        } else if (healthy > 0 && window.hasDemand()) {
            calm = window.dropped() == 0 && mean <= terms.factor * healthy ? calm + 1 : 0;
            left = calm >= terms.windows;
            warm = left;
        }
    }

    private long asked(Controller other, Window window, long limit) {
        if (wanted == 0) {
            wanted = limit;
        }
        Window seen = withUnjudged(window);
        if (!other.enough(seen)) {
            unjudged = seen;
            return wanted;
        }
        unjudged = null;
        long answer = other.next(seen, limit);
        wanted = answer < limit || wanted <= limit ? answer : Math.max(wanted, answer);
        return wanted;
    }

    private Window withUnjudged(Window window) {
        return unjudged == null ? window : unjudged.plus(window);
    }

    private long cap() {
        double share = terms.curve.share(terms.floor, (double) progress / terms.period);
        return Math.max(1, Math.round(share * terms.full));
    }

    @Override
    public String why() {
        return warm && then != null ? then.why() : why;
    }

    /**
     * What the other controller has learned; the limit it wants, while that is not in force yet; and the healthy latency if
     * it is to be kept.
     */
    @Override
    public Map<String, Double> learned() {
        Map<String, Double> learned = new HashMap<>(then == null ? Map.of() : then.learned());
        if (then != null && !warm && wanted > 0) {
            learned.put(WANTED, (double) wanted);
        }
        if (terms.windows > 0 && terms.healthyNanos == 0 && healthy > 0) {
            learned.put(HEALTHY, healthy);
        }
        return learned;
    }

    /** A healthy latency does not age as a limit does: it is believed at any trust above 0. */
    @Override
    public void restore(Map<String, Double> learned, double trust) {
        double latency = learned.getOrDefault(HEALTHY, 0.0);
        if (terms.healthyNanos == 0 && trust > 0 && latency > 0 && latency < Double.POSITIVE_INFINITY) {
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
