package dev.weir.adaptive;

import dev.weir.Adjustable;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Registration;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A controller's hand on a limit: measures a limiter, asks the controller when a window shows enough, and turns the dial
 * within the bounds. A limit that another hand puts there is taken up and gone on from. Thread-safe; needs no thread of its
 * own while there is traffic. What the controller or a reading throws is counted and changes nothing.
 *
 * <p>Some two thousand times a second it asks what is in flight; on a concurrency limit by key that walks over the keys.
 *
 * <p>After the limiter was swapped to another strategy its dial is stale and the control has no effect: {@link
 * #snapshot()} and {@link #bounds} say so, and {@link #attach} takes the present one.
 */
public final class AdaptiveControl implements AutoCloseable {
    /*
     * All judgement is under the meter's `busy`, one thread at a time. Whoever turns the limit, this hand or another, is
     * heard through the meter, on his thread:
     *
     *     judging                          another hand
     *     turning := 30
     *     dial 30, hears 30: its own       dial 5
     *     turning := 0                     hears 5: elsewhere := 5
     *     next slice: goes on from 5
     *
     * What it does not hear itself turn did not turn: the dial is stale, or moves there by itself already.
     */
    private static final int REMEMBERED = 16;
    private static final long NOWHERE = 0;

    private final ManagedLimiter limiter;
    private volatile Adjustable target;
    private final boolean ownDial;
    private final Controller controller;
    private final Ticker ticker;
    private final Supplier<Map<String, Double>> signals;
    private final List<Consumer<Adjustment>> listeners;
    private final WindowSampler meter;
    private final Registration claim;
    private final Registration observing;
    private final Overrides overrides;
    private final Deque<Adjustment> last = new ArrayDeque<>();
    private @Nullable Window window;
    private long proposed;
    private final AtomicLong elsewhere = new AtomicLong(NOWHERE);
    private volatile long turning;
    private volatile boolean heardItself;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong updates = new AtomicLong();
    private volatile boolean closed;
    private volatile @Nullable Window lastJudged;
    private volatile Map<String, Double> learned = Map.of();
    private Overrides.@Nullable Terms applied;

    private AdaptiveControl(Builder asked) {
        limiter = asked.limiter;
        controller = asked.controller;
        ticker = asked.ticker;
        signals = asked.signals;
        listeners = List.copyOf(asked.listeners);
        overrides = new Overrides(asked.bounds, ticker, asked.daily);
        claim = limiter.claimDial("adaptive control");
        ownDial = asked.target == null;
        try {
            target = asked.target == null ? limiter.dial() : asked.target;
            proposed = target.limit();
            begin(asked.state == null ? Optional.empty() : asked.state.restored(limiter.name()));
        } catch (Throwable t) {
            claim.close();
            throw t;
        }
        meter = new WindowSampler(limiter, ticker, () -> count(asked.waiting), this::judge, this::attend, this::turned);
        observing = limiter.observe(meter);
        meter.callFor();
        if (asked.state != null) {
            asked.state.include(this);
        }
    }

    private void begin(Optional<RestoredState> before) {
        try {
            before.ifPresent(kept -> controller.resume(kept.learned(), kept.trust()));
        } catch (Throwable t) {
            failures.getAndIncrement();
        }
        try {
            long wanted = before.map(kept -> kept.limitFrom(proposed)).orElse(proposed);
            proposed = overrides.inForce().clamp(controller.start(wanted));
            move(proposed, before.map(kept -> "resumed: " + kept).orElseGet(this::why), null);
        } catch (Throwable t) {
            failures.getAndIncrement();
        }
    }

    /** This controller at this limiter's dial. */
    public static AdaptiveControl of(ManagedLimiter limiter, Controller controller, Bounds bounds) {
        return builder(limiter, controller).bounds(bounds).build();
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
        private Bounds bounds = Bounds.of(1, MOST);
        private Ticker ticker;
        private Supplier<Map<String, Double>> signals = Map::of;
        private LongSupplier waiting = () -> 0;
        private @Nullable Adjustable target;
        private @Nullable SavedState state;
        private @Nullable DailySchedule daily;

        private Builder(ManagedLimiter limiter, Controller controller) {
            this.limiter = Objects.requireNonNull(limiter, "limiter");
            this.controller = Objects.requireNonNull(controller, "controller");
            this.ticker = limiter.ticker();
        }

        /** Between what the limit may move; 1 and 10,000 unless told. */
        public Builder bounds(Bounds asked) {
            bounds = Objects.requireNonNull(asked, "bounds");
            return this;
        }

        /** The clock. Default: the limiter's, which is the right one for any but a test of this control alone. */
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

        /**
         * Starts from what was kept for a limiter of this name, aged by how long it was away, and is kept from now on. A
         * state without it starts as ever.
         */
        public Builder resuming(SavedState kept) {
            state = Objects.requireNonNull(kept, "kept");
            return this;
        }

        /**
         * Other bounds at times of the day, the first that fits; an {@link AdaptiveControl#override} goes before them. The
         * clock is looked at once a second.
         */
        public Builder daily(Clock clock, ZoneId zone, List<DailyBounds> windows) {
            daily = new DailySchedule(clock.withZone(zone), windows);
            return this;
        }

        /** Told of each change after it was made, on the thread that made it; nothing is measured until it returns. */
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
            if (applied != overrides.terms() || elsewhere.get() != NOWHERE) {
                intoBounds();
            }
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
            lastJudged = whole;
            long present = target.limit();
            long asked = controller.next(whole, proposed);
            updates.getAndIncrement();
            proposed = overrides.inForce().clamp(asked, proposed);
            if (proposed != present) {
                move(proposed, why(), whole);
            }
        } catch (Throwable t) {
            window = null;
            failures.getAndIncrement();
        }
    }

    private Window withSignals(Window seen) {
        try {
            Map<String, Double> readings = signals.get();
            return readings.isEmpty() ? seen : seen.with(readings);
        } catch (Throwable t) {
            failures.getAndIncrement();
            return seen;
        }
    }

    private long count(LongSupplier waiting) {
        try {
            return waiting.getAsLong();
        } catch (Throwable t) {
            failures.getAndIncrement();
            return 0;
        }
    }

    private String why() {
        try {
            return Objects.requireNonNull(controller.why(), "why()");
        } catch (Throwable t) {
            failures.getAndIncrement();
            return "controller: it does not say why";
        }
    }

    private void turned(long to) {
        if (to == turning) {
            heardItself = true;
        } else if (ownDial) {
            elsewhere.set(to);
        }
    }

    private void move(long to, String why, @Nullable Window seen) {
        long from = target.limit();
        if (from == to || closed) {
            return;
        }
        heardItself = false;
        turning = to;
        try {
            target.setLimit(to, why);
        } finally {
            turning = NOWHERE;
        }
        if (seen == null || (ownDial && !heardItself)) {
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

    /**
     * Other bounds from now on; the limit moves into them at once, or when this is attached again.
     *
     * @return false if they have no effect, because this is closed or what it adjusts is stale
     */
    public boolean bounds(Bounds other) {
        overrides.base(Objects.requireNonNull(other, "bounds"));
        meter.callFor();
        return hasEffect();
    }

    /**
     * Takes the limiter's present dial if its own is stale, and goes on from the limit in force there, moved into the
     * bounds at once. Without effect otherwise.
     *
     * @return whether this has effect now: false if it is closed, or was given something else to adjust that is stale
     */
    public boolean attach() {
        if (ownDial && !hasEffect() && !closed) {
            Adjustable present = limiter.dial();
            target = present;
            elsewhere.set(present.limit());
            meter.callFor();
        }
        return hasEffect();
    }

    private boolean hasEffect() {
        return !closed && !isStale();
    }

    private boolean isStale() {
        try {
            return target.stale();
        } catch (Throwable t) {
            failures.getAndIncrement();
            return false;
        }
    }

    /**
     * Other bounds for so long, and then the former ones again: to raise a hot limit for an hour. The limit moves into them
     * at once, and back within the others when they end, at the first look at the clock afterwards. Of several the newest
     * wins while it lasts.
     *
     * @param why the reason, for explanations; not blank
     * @return ends it early
     * @throws IllegalArgumentException if the duration is not more than 0, or {@code why} is blank
     */
    public Registration override(Bounds other, Duration duration, String why) {
        Registration term = overrides.add(other, duration, why);
        meter.callFor();
        return () -> {
            term.close();
            meter.callFor();
        };
    }

    private void attend() {
        if (closed) {
            return;
        }
        try {
            intoBounds();
            learned = described();
        } catch (Throwable t) {
            failures.getAndIncrement();
        }
    }

    private void intoBounds() {
        Overrides.Terms terms = overrides.terms();
        Overrides.Terms before = applied;
        applied = terms;
        long put = elsewhere.getAndSet(NOWHERE);
        proposed = terms.bounds().clamp(put == NOWHERE ? proposed : put);
        move(proposed, terms.after(before), null);
    }

    private Map<String, Double> described() {
        Map<String, Double> known = new HashMap<>(controller.learned());
        Window seen = lastJudged;
        if (seen != null) {
            known.put("window.latencyNanos", seen.latencies().mean());
            known.put("window.throughput", seen.throughput());
            known.put("window.mostInFlight", (double) seen.mostInFlight());
        }
        return Map.copyOf(known);
    }

    /**
     * What is worth keeping over a restart, by name: what the controller has learned, and of the window it last judged the
     * mean latency, the throughput and the most in flight as {@code window.*}. As of now or of a moment ago, if a window is
     * being judged.
     */
    public Map<String, Double> learned() {
        meter.callFor();
        return learned;
    }

    /** The limiter under control. */
    public ManagedLimiter limiter() {
        return limiter;
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
                why(),
                updates.get(),
                failures.get(),
                meter.unusable(),
                isStale(),
                changes);
    }

    /**
     * Lets go of the dial; the limit stays where it is. Idempotent. Waits for nobody: another thread that judges just then
     * may turn it once more.
     */
    @Override
    public void close() {
        closed = true;
        observing.close();
        claim.close();
    }
}
