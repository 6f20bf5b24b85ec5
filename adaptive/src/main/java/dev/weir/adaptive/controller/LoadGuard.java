package dev.weir.adaptive.controller;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * A controller that keeps a load, such as of the CPU or of memory, below a maximum: it lowers the limit while the signal is above
 * a range, raises it while the signal is below and there is demand, and leaves it within the range, so that it does not
 * oscillate. With {@code x} the reading:
 *
 * <pre>{@code
 * x > high          limit * max(0.7, target / x)                    but lower by at least 1
 * low <= x <= high  limit
 * x < low           limit * (1.05 + 0.05 * (low - x) / low)         but higher by at least 1; only with demand
 * }</pre>
 *
 * <pre>{@code
 * Sensors sensors = Sensors.watching(Signals.smoothed(Signals.cpu(), Duration.ofSeconds(2)));
 * AdaptiveControl control = AdaptiveControl.builder(limiter, Min.of(new Crest(), LoadGuard.on("cpu", 0.7, 0.85)))
 *         .signals(sensors::readings)
 *         .build();
 * sensors.onRound(control::tick);
 * }</pre>
 *
 * <p>Without a usable reading (none, not finite, negative) the limit stays for some windows, then is lowered by 5 % a window
 * to the safe limit and no further. A window in which nothing happened changes nothing. A load that other work causes lowers
 * the limit as well, down to the bounds. It does not see what its signal does not show: a slow dependency uses no CPU. Not
 * thread-safe except {@link #why()}, which any thread may call.
 */
public final class LoadGuard implements Controller {
    private static final double MAX_DOWN = 0.7;
    private static final double MIN_UP = 0.05;

    private final String signal;
    private final double low;
    private final double high;
    private final double target;
    private final long intervalNanos;
    private final SignalLoss loss;
    private volatile String why = "load guard: nothing yet";

    private LoadGuard(Builder builder) {
        signal = builder.signal;
        low = builder.low;
        high = builder.high;
        target = builder.target;
        intervalNanos = builder.intervalNanos;
        loss = new SignalLoss(builder.signal, builder.safe, builder.keptWindows);
    }

    /**
     * A guard that keeps this signal within this range, with the other defaults.
     *
     * @throws IllegalArgumentException if low is not more than 0, or high not more than low
     */
    public static LoadGuard on(String signal, double low, double high) {
        return builder(signal).between(low, high).build();
    }

    /** A builder of a guard of this signal. */
    public static Builder builder(String signal) {
        return new Builder(signal);
    }

    /** Options of a guard. Not thread-safe. */
    public static final class Builder {
        private final String signal;
        private double low = 0.7;
        private double high = 0.85;
        private double target = (low + high) / 2;
        private long safe = 1;
        private int keptWindows = 5;
        private long intervalNanos = 500_000_000;

        private Builder(String signal) {
            this.signal = Objects.requireNonNull(signal, "signal");
        }

        /**
         * The range of the signal in which the limit stays. Default: 0.7 to 0.85. Sets the target to its middle.
         *
         * @throws IllegalArgumentException if least is not more than 0, or most not more than least
         */
        public Builder between(double min, double max) {
            Require.that(min > 0 && Double.isFinite(min), "low must be > 0", min);
            Require.that(max > min && Double.isFinite(max), "high must be > " + min, max);
            low = min;
            high = max;
            target = min + (max - min) / 2;
            return this;
        }

        /**
         * The load that a lowered limit aims at, within the range; to be set after that. Default: the middle of the range.
         *
         * @throws IllegalArgumentException if it is not within the range
         */
        public Builder target(double load) {
            Require.that(load >= low && load <= high, "target must be within " + low + " and " + high, load);
            target = load;
            return this;
        }

        /**
         * The limit that is safe without any reading, at least 1. Default: 1.
         *
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder safe(long limit) {
            Require.that(limit >= 1, "safe must be >= 1", limit);
            safe = limit;
            return this;
        }

        /**
         * The number of windows without a reading in which the limit stays. Default: 5.
         *
         * @throws IllegalArgumentException if it is less than 0
         */
        public Builder keepFor(int windows) {
            Require.that(windows >= 0, "windows must be >= 0", windows);
            keptWindows = windows;
            return this;
        }

        /**
         * The minimum length of a window. Set it to the interval of the sensors, so that each window has a new reading.
         * Default: 500 ms.
         *
         * @throws IllegalArgumentException if it is not more than 0
         */
        public Builder every(Duration min) {
            intervalNanos = Durations.nanos("interval", min);
            return this;
        }

        /** Builds the guard. */
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
        double load = loss.reading(window);
        if (Double.isNaN(load)) {
            why = "load guard: " + loss.why(limit);
            return loss.next(limit);
        }
        String seen = "load guard: " + signal + " " + SignalLoss.text(load);
        if (load > high) {
            why = seen + " above " + SignalLoss.text(high);
            double lowered = Math.floor(limit * Math.max(MAX_DOWN, target / load));
            return Math.max(1, Math.min(limit - 1, (long) lowered));
        }
        if (load >= low || !window.hasDemand()) {
            why = seen + (load >= low ? " within range" : ", no demand");
            return limit;
        }
        why = seen + " below " + SignalLoss.text(low);
        double raised = limit * (1 + MIN_UP + MIN_UP * (low - load) / low);
        return Math.max(limit == Long.MAX_VALUE ? limit : limit + 1, Math.round(raised));
    }

    @Override
    public Set<String> signals() {
        return Set.of(signal);
    }

    @Override
    public String why() {
        return why;
    }
}
