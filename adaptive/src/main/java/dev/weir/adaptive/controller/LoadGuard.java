package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import java.time.Duration;
import java.util.Objects;

/**
 * Keeps a load, such as of the CPU or of memory, out of its red: lowers the limit while the signal is above a range, lets
 * it grow while the signal is below and there is demand, and keeps it in between, so that it does not hunt. With {@code x}
 * the reading:
 *
 * <pre>{@code
 * x > high          limit * max(0.7, target / x)                    but lower by at least 1
 * low <= x <= high  limit
 * x < low           limit * (1.05 + 0.05 * (low - x) / low)         but higher by at least 1; only if pressed
 * }</pre>
 *
 * <p>Without a usable reading (none, not finite, negative) the limit is kept for some windows, then lowered by 5 % a window
 * to the safe limit and no further. A window in which nothing happened changes nothing. A load of
 * somebody else's making lowers it as well, down to the bounds. Blind to whatever does not show in its signal: a slow
 * dependency costs no CPU. One thread at a time; {@link #why()} by any.
 */
public final class LoadGuard implements Controller {
    private static final double MOST_DOWN = 0.7;
    private static final double LEAST_UP = 0.05;

    private final String signal;
    private final double low;
    private final double high;
    private final double target;
    private final long intervalNanos;
    private final SignalLoss absence;
    private volatile String why = "load guard: nothing yet";

    private LoadGuard(Builder asked) {
        signal = asked.signal;
        low = asked.low;
        high = asked.high;
        target = asked.target;
        intervalNanos = asked.interval.toNanos();
        absence = new SignalLoss(asked.signal, asked.safe, asked.patience);
    }

    /** On this signal, between these, with everything else as usual. */
    public static LoadGuard on(String signal, double low, double high) {
        return builder(signal).between(low, high).build();
    }

    /** On this signal. */
    public static Builder builder(String signal) {
        return new Builder(signal);
    }

    /** What a guard is made of; not thread-safe. */
    public static final class Builder {
        private final String signal;
        private double low = 0.7;
        private double high = 0.85;
        private double target = (low + high) / 2;
        private long safe = 1;
        private int patience = 5;
        private Duration interval = Duration.ofMillis(500);

        private Builder(String signal) {
            this.signal = Objects.requireNonNull(signal, "signal");
        }

        /** The range in which the limit is kept, 0.7 to 0.85 unless told; the target becomes its middle. */
        public Builder between(double least, double most) {
            if (!(least > 0 && Double.isFinite(least))) {
                throw new IllegalArgumentException("low must be > 0, was " + least);
            }
            if (!(most > least && Double.isFinite(most))) {
                throw new IllegalArgumentException("high must be > " + least + ", was " + most);
            }
            low = least;
            high = most;
            target = least + (most - least) / 2;
            return this;
        }

        /** What an overload is lowered to; to be told after the range, and within it. */
        public Builder target(double load) {
            if (!(load >= low && load <= high)) {
                throw new IllegalArgumentException("target must be within " + low + " and " + high + ", was " + load);
            }
            target = load;
            return this;
        }

        /** The limit that is safe without any reading, at least 1; 1 unless told. */
        public Builder safe(long limit) {
            if (limit < 1) {
                throw new IllegalArgumentException("safe must be >= 1, was " + limit);
            }
            safe = limit;
            return this;
        }

        /** For how many windows without a reading the limit is kept; 5 unless told. */
        public Builder patience(int windows) {
            if (windows < 0) {
                throw new IllegalArgumentException("patience must be >= 0, was " + windows);
            }
            patience = windows;
            return this;
        }

        /** The least length of a window: that of the sensors' interval, 500 ms unless told, so that each has its reading. */
        public Builder every(Duration least) {
            if (least.isNegative() || least.isZero()) {
                throw new IllegalArgumentException("interval must be > 0, was " + least);
            }
            interval = least;
            return this;
        }

        /** The guard. */
        public LoadGuard build() {
            return new LoadGuard(this);
        }
    }

    @Override
    public boolean enough(Window window) {
        return window.nanos() >= intervalNanos;
    }

    @Override
    public long next(Window window, long limit) {
        if (window.idle()) {
            why = "load guard: idle";
            return limit;
        }
        double load = absence.reading(window);
        if (Double.isNaN(load)) {
            why = "load guard: " + absence.why(limit);
            return absence.next(limit);
        }
        String seen = "load guard: " + signal + " " + SignalLoss.text(load);
        if (load > high) {
            why = seen + " above " + SignalLoss.text(high);
            double lowered = Math.floor(limit * Math.max(MOST_DOWN, target / load));
            return Math.max(1, Math.min(limit - 1, (long) lowered));
        }
        if (load >= low || !window.hasDemand()) {
            why = seen + (load >= low ? " within range" : ", no demand");
            return limit;
        }
        why = seen + " below " + SignalLoss.text(low);
        double raised = limit * (1 + LEAST_UP + LEAST_UP * (low - load) / low);
        return Math.max(limit == Long.MAX_VALUE ? limit : limit + 1, Math.round(raised));
    }

    @Override
    public String why() {
        return why;
    }
}
