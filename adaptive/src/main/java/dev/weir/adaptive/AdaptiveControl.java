package dev.weir.adaptive;

import dev.weir.Adjustable;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Registration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A controller's hand on a limit: measures a limiter, asks the controller when a window shows enough, and turns the dial
 * within the bounds. Thread-safe; needs no thread of its own while there is traffic. What the controller or a reading
 * throws is counted and changes nothing.
 */
public final class AdaptiveControl implements AutoCloseable {
    private static final int REMEMBERED = 16;

    private final ManagedLimiter limiter;
    private final Adjustable target;
    private final Controller controller;
    private final Ticker ticker;
    private final Supplier<Map<String, Double>> signals;
    private final List<Consumer<Adjustment>> listeners;
    private final Meter meter;
    private final Registration claim;
    private final Registration observing;
    private final Overrides overrides;
    private final Deque<Adjustment> last = new ArrayDeque<>();
    private @Nullable Window window;
    private volatile long proposed;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong updates = new AtomicLong();
    private volatile boolean closed;

    private AdaptiveControl(Builder asked) {
        limiter = asked.limiter;
        controller = asked.controller;
        ticker = asked.ticker;
        signals = asked.signals;
        listeners = List.copyOf(asked.listeners);
        overrides = new Overrides(asked.bounds, ticker);
        claim = limiter.holdDial(asked.name);
        target = asked.target == null ? limiter.dial() : asked.target;
        proposed = target.limit();
        meter = new Meter(limiter, ticker, asked.waiting, this::judge, this::intoBounds);
        observing = limiter.observe(meter);
        meter.callFor();
    }

    /** The default controller at this limiter's dial. */
    public static AdaptiveControl of(ManagedLimiter limiter, Bounds bounds) {
        return builder(limiter, new Crest()).bounds(bounds).build();
    }

    /** A controller at this limiter's dial. */
    public static Builder builder(ManagedLimiter limiter, Controller controller) {
        return new Builder(limiter, controller);
    }

    /** What a control is made of; not thread-safe. */
    public static final class Builder {
        private static final long MOST = 10_000;

        private final ManagedLimiter limiter;
        private final Controller controller;
        private final List<Consumer<Adjustment>> listeners = new java.util.ArrayList<>();
        private String name = "adaptive control";
        private Bounds bounds = Bounds.of(1, MOST);
        private Ticker ticker = Ticker.system();
        private Supplier<Map<String, Double>> signals = Map::of;
        private LongSupplier waiting = () -> 0;
        private @Nullable Adjustable target;

        private Builder(ManagedLimiter limiter, Controller controller) {
            this.limiter = Objects.requireNonNull(limiter, "limiter");
            this.controller = Objects.requireNonNull(controller, "controller");
        }

        /** Between what the limit may move; 1 and 10,000 unless told. */
        public Builder bounds(Bounds asked) {
            bounds = Objects.requireNonNull(asked, "bounds");
            return this;
        }

        /** The clock; it must be the limiter's. {@link Ticker#system()} unless told. */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** The last readings by name, at any time and at once: {@code sensors::readings}. */
        public Builder signals(Supplier<Map<String, Double>> readings) {
            signals = Objects.requireNonNull(readings, "readings");
            return this;
        }

        /** How many wait before the limiter, for a queue's refusals are no refusals of the limiter. */
        public Builder waiting(LongSupplier count) {
            waiting = Objects.requireNonNull(count, "count");
            return this;
        }

        /** Turns this instead of the limiter's dial, such as the size of the pool that the limiter guards. */
        public Builder turning(Adjustable other) {
            target = Objects.requireNonNull(other, "other");
            return this;
        }

        /** Told of each change after it was made, on the thread that made it. */
        public Builder explainingTo(Consumer<Adjustment> listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * The control, at work.
         *
         * @throws IllegalStateException if another hand holds the dial
         */
        public AdaptiveControl build() {
            return new AdaptiveControl(this);
        }
    }

    private void judge(Window slice) {
        if (closed) {
            return;
        }
        try {
            Window seen = window == null ? slice : window.plus(slice);
            window = null;
            if (seen.idle()) {
                return;
            }
            Window whole = withSignals(seen);
            if (!controller.enough(whole)) {
                window = seen;
                return;
            }
            long present = target.limit();
            long asked = controller.next(whole, proposed);
            updates.getAndIncrement();
            proposed = overrides.inForce().clamp(asked, proposed);
            if (proposed != present) {
                move(proposed, controller.why(), whole);
            }
        } catch (Throwable t) {
            window = null;
            failures.getAndIncrement();
        }
    }

    private Window withSignals(Window seen) {
        Map<String, Double> readings = signals.get();
        return readings.isEmpty() ? seen : seen.with(readings);
    }

    private void move(long to, String why, @Nullable Window seen) {
        long from = target.limit();
        if (from == to) {
            return;
        }
        target.setLimit(to, why);
        if (seen == null) {
            return;
        }
        Adjustment adjustment = new Adjustment(from, to, why, seen);
        synchronized (last) {
            last.addLast(adjustment);
            if (last.size() > REMEMBERED) {
                last.removeFirst();
            }
        }
        for (Consumer<Adjustment> listener : listeners) {
            try {
                listener.accept(adjustment);
            } catch (Throwable t) {
                failures.getAndIncrement();
            }
        }
    }

    /**
     * Looks at the clock, as a passer-by does. For whoever keeps time where there may be no traffic while calls hang, at
     * intervals of about 100 ms; harmless at any time.
     */
    public void look() {
        meter.look();
    }

    /** Other bounds from now on; the limit moves into them at once. */
    public void bounds(Bounds other) {
        overrides.base(Objects.requireNonNull(other, "bounds"));
        meter.callFor();
    }

    private void intoBounds() {
        proposed = overrides.inForce().clamp(proposed, proposed);
        move(proposed, "adaptive: into the bounds", null);
    }

    /** How it stands. */
    public ControlSnapshot snapshot() {
        List<Adjustment> changes;
        synchronized (last) {
            changes = List.copyOf(last);
        }
        return new ControlSnapshot(
                limiter.name(),
                target.limit(),
                overrides.inForce(),
                controller.why(),
                updates.get(),
                failures.get(),
                meter.unusable(),
                changes);
    }

    /** Lets go of the dial; the limit stays where it is. Idempotent. */
    @Override
    public void close() {
        closed = true;
        observing.close();
        claim.close();
    }
}
