package dev.weir.adaptive;

import dev.weir.Adjustable;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Registration;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A control loop that adapts the limit of one limiter: it measures the limiter, passes each sampling window that shows enough to
 * a {@link Controller}, and sets the limit that it returns, within the bounds. If something else sets the limit, the control
 * continues from there, moved into the bounds at once.
 *
 * <pre>{@code
 * ManagedLimiter limiter = Limiters.of("search", new Semaphore(20));
 * AdaptiveControl control = AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 500));
 * }</pre>
 *
 * <p>Thread-safe. While there is traffic it needs no thread of its own: the threads that release permits do the work, one at
 * a time. What the controller, a signal or a listener throws is counted, and the limit stays.
 *
 * <p>It reads the number in flight about two thousand times a second; on a concurrency limit by key this iterates over the
 * keys.
 *
 * <p>After the limiter was changed to another strategy, the dial of this control is stale and the control has no effect: {@link
 * #snapshot()} and {@link #bounds} say so, and {@link #attach} takes the current dial.
 */
public final class AdaptiveControl implements ControlView, AutoCloseable {
    /*
     * The control works under the sampler's `busy`, one thread at a time. The sampler reports each change of the limit, by
     * this control or by others, in order, one at a time, and on any thread that changes the limit:
     *
     *     the control                      another thread
     *     moves += 30
     *     dial 30                          dial 5
     *                                      reported 30: its own, moves -= 30
     *                                      reported 5: otherLimit := 5
     *     next slice: continues from 5, or at once if that is not within the bounds
     *
     * A change of its own that is not reported did not happen: the dial is stale, or the limit was there already.
     */
    private static final long NONE = 0;

    private final ManagedLimiter limiter;
    private volatile Adjustable target;
    private final boolean ownDial;
    private final Controller controller;
    private final Ticker ticker;
    private final Supplier<Map<String, Double>> signals;
    private final WindowSampler sampler;
    private final Registration claim;
    private final Registration observing;
    private final Overrides overrides;
    private final AdjustmentLog adjustments;
    private @Nullable Window window;
    private long proposed;
    private final AtomicLong otherLimit = new AtomicLong(NONE);
    private final Queue<Move> moves = new ConcurrentLinkedQueue<>();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong updates = new AtomicLong();
    private volatile boolean closed;
    private volatile @Nullable Window lastWindow;
    private volatile Map<String, Double> learned = Map.of();
    private Overrides.@Nullable NamedBounds applied;

    private AdaptiveControl(Builder builder) {
        limiter = builder.limiter;
        controller = builder.controller;
        ticker = builder.ticker;
        signals = builder.signals;
        InstantSource clock = builder.clock == null ? timeOfDay(ticker) : builder.clock;
        adjustments = new AdjustmentLog(() -> instant(clock), builder.listeners, failures);
        overrides = new Overrides(builder.bounds, ticker, builder.daily);
        claim = limiter.claimDial("adaptive control");
        ownDial = builder.target == null;
        try {
            target = builder.target == null ? limiter.dial(claim) : builder.target;
            proposed = target.limit();
            start(builder.state == null ? Optional.empty() : builder.state.restored(limiter.name()));
            moves.clear(); // nothing reports it yet
        } catch (Throwable t) {
            claim.close();
            throw t;
        }
        sampler = new WindowSampler(
                limiter,
                ticker,
                () -> guarded(clock::millis, 0L),
                () -> guarded(builder.waiting::getAsLong, 0L),
                this::onSlice,
                this::update,
                this::onLimitChanged);
        observing = limiter.observe(sampler);
        sampler.requestUpdate();
        try {
            if (builder.state != null) {
                builder.state.include(this);
            }
        } catch (Throwable t) {
            close();
            throw t;
        }
    }

    static InstantSource timeOfDay(Ticker ticker) {
        return ticker == Ticker.system() ? InstantSource.system() : () -> Instant.EPOCH.plusNanos(ticker.read());
    }

    private Instant instant(InstantSource clock) {
        return guarded(() -> Objects.requireNonNull(clock.instant(), "instant()"), Instant.EPOCH);
    }

    private void start(Optional<RestoredState> before) {
        try {
            before.ifPresent(restored -> controller.restore(restored.learned(), restored.trust()));
        } catch (Throwable t) {
            failures.getAndIncrement();
        }
        try {
            long wanted = before.map(restored -> restored.limitFrom(proposed)).orElse(proposed);
            proposed = overrides.inForce().clamp(controller.start(wanted));
            move(proposed, before.map(restored -> "restored: " + restored).orElseGet(this::why), null);
        } catch (Throwable t) {
            failures.getAndIncrement();
        }
    }

    /**
     * Starts a control of this limiter's limit.
     *
     * @param controller for this limit alone; {@code new Crest()}, the default controller, needs no configuration
     * @throws IllegalStateException if another control claims the dial
     */
    public static AdaptiveControl of(ManagedLimiter limiter, Controller controller, Bounds bounds) {
        return builder(limiter, controller).bounds(bounds).build();
    }

    /**
     * A builder of a control of this limiter's limit.
     *
     * @param controller for this limit alone
     */
    public static Builder builder(ManagedLimiter limiter, Controller controller) {
        return new Builder(limiter, controller);
    }

    /** Options of an adaptive control. Not thread-safe. */
    public static final class Builder {
        private static final long MAX_LIMIT = 10_000;

        private final ManagedLimiter limiter;
        private final Controller controller;
        private final List<Consumer<Adjustment>> listeners = new ArrayList<>();
        private Bounds bounds = Bounds.of(1, MAX_LIMIT);
        private Ticker ticker;
        private @Nullable InstantSource clock;
        private Supplier<Map<String, Double>> signals = Map::of;
        private LongSupplier waiting = () -> 0;
        private @Nullable Adjustable target;
        private @Nullable SavedState state;
        private Overrides.@Nullable DailySchedule daily;

        private Builder(ManagedLimiter limiter, Controller controller) {
            this.limiter = Objects.requireNonNull(limiter, "limiter");
            this.controller = Objects.requireNonNull(controller, "controller");
            this.ticker = limiter.ticker();
        }

        /** The minimum, the maximum and the largest step of the limit. Default: 1 to 10,000, by a factor of 4 at most. */
        public Builder bounds(Bounds range) {
            bounds = Objects.requireNonNull(range, "bounds");
            return this;
        }

        /** The ticker. Default: the limiter's. Another one is of use only in a test of the control alone. */
        public Builder ticker(Ticker other) {
            ticker = Objects.requireNonNull(other, "other");
            return this;
        }

        /**
         * The time of day of {@linkplain ControlSnapshot#last changes}, and of the joint dips in which several instances before
         * one server measure it. The instances dip at the same moments, so their clocks must be synchronised, as by NTP: within
         * 50 ms nothing is lost, 500 ms cost little, and 3 s make the dips useless. A clock that stands still gives one dip at
         * most, one that throws none; what it throws is counted. Must not block.
         *
         * <p>Default: the clock of the system if the ticker is {@link Ticker#system()}; else the reading of the ticker as the
         * time since 1970, so that a test in virtual time repeats itself. With a ticker of your own in production, set it.
         */
        public Builder clock(InstantSource wall) {
            clock = Objects.requireNonNull(wall, "wall");
            return this;
        }

        /** Supplies the last readings of signals by name, such as {@code sensors::readings}. Must not block. Default: none. */
        public Builder signals(Supplier<Map<String, Double>> readings) {
            signals = Objects.requireNonNull(readings, "readings");
            return this;
        }

        /**
         * Supplies the number of requests that wait in a queue before the limiter, which the limiter does not see. Must not
         * block. Default: 0.
         */
        public Builder waiting(LongSupplier count) {
            waiting = Objects.requireNonNull(count, "count");
            return this;
        }

        /** Sets the limit of this instead of the limiter, such as the size of the pool that the limiter protects. */
        public Builder adjusting(Adjustable other) {
            target = Objects.requireNonNull(other, "other");
            return this;
        }

        /**
         * Starts from what was saved for a limiter of this name, discounted by the time since then, and includes this control
         * in each save from now on. Without state of this name it starts as without this.
         */
        public Builder restoring(SavedState saved) {
            state = Objects.requireNonNull(saved, "saved");
            return this;
        }

        /**
         * Other bounds at times of the day, the first that contain the time; an {@link AdaptiveControl#override} has
         * precedence. The clock is read once a second.
         */
        public Builder daily(Clock clock, ZoneId zone, List<DailyBounds> windows) {
            daily = new Overrides.DailySchedule(clock.withZone(zone), windows);
            return this;
        }

        /**
         * Called with each adjustment, after it is in force, on the thread that made it, or on one
         * that changes the limit at the same moment. Must not block: nothing is measured
         * until it returns.
         */
        public Builder onAdjustment(Consumer<Adjustment> listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Builds the control and starts it.
         *
         * @throws IllegalStateException if another control claims the dial
         */
        public AdaptiveControl build() {
            return new AdaptiveControl(this);
        }
    }

    private void onSlice(Window slice) {
        if (closed) {
            return;
        }
        try {
            if (applied != overrides.current() || otherLimit.get() != NONE) {
                moveIntoBounds();
            }
            Window seen = window == null ? slice : window.plus(slice);
            window = null;
            if (seen.idle()) {
                return;
            }
            Window whole = guarded(() -> seen.with(signals.get()), seen);
            if (!controller.enough(whole)) {
                window = seen;
                return;
            }
            lastWindow = whole;
            long present = target.limit();
            long answer = controller.next(whole, proposed);
            updates.getAndIncrement();
            proposed = overrides.inForce().clamp(answer, proposed);
            if (proposed != present) {
                move(proposed, why(), whole);
                if (!ownDial && proposed < present) {
                    sampler.lowered();
                }
            }
        } catch (Throwable t) {
            window = null;
            failures.getAndIncrement();
        }
    }

    private String why() {
        return guarded(() -> Objects.requireNonNull(controller.why(), "why()"), "controller: why() failed");
    }

    private <T> T guarded(Supplier<T> foreign, T otherwise) {
        try {
            return foreign.get();
        } catch (Throwable t) {
            failures.getAndIncrement();
            return otherwise;
        }
    }

    /** A limit that this control sets, of which it was not told yet. */
    private record Move(long to, String why, @Nullable Window seen) {}

    private void onLimitChanged(long from, long to, String why) {
        if (!ownDial) {
            return;
        }
        Move own = reported(to, why);
        if (own == null) {
            otherLimit.set(to);
        }
        adjustments.add(from, to, why, own == null ? null : own.seen);
        if (own == null && overrides.inForce().clamp(to) != to) {
            sampler.requestUpdate();
        }
    }

    private @Nullable Move reported(long to, String why) {
        for (Move move : moves) {
            if (move.to == to && move.why.equals(why)) {
                Move withoutEffect = moves.poll();
                while (withoutEffect != null && withoutEffect != move) {
                    withoutEffect = moves.poll();
                }
                return move;
            }
        }
        return null;
    }

    private void move(long to, String why, @Nullable Window seen) {
        long from = target.limit();
        if (from == to || closed) {
            return;
        }
        Move own = new Move(to, why, seen);
        boolean isSet = false;
        moves.add(own);
        try {
            target.setLimit(to, why);
            isSet = ownDial && hasEffect();
        } finally {
            if (!isSet) {
                moves.remove(own);
            }
        }
        if (!ownDial) {
            adjustments.add(from, to, why, seen);
        }
    }

    /**
     * Ends the sampling window if it is due, as a release does. Where calls may hang while there is no traffic, call this every 100 ms
     * or so, by {@code sensors.onRound(control::tick)} or a scheduler. May be called at any time.
     */
    public void tick() {
        sampler.tick();
    }

    /**
     * Sets the bounds. The limit moves into them at once, or when this is attached again.
     *
     * @return false if they have no effect, because this is closed or what it adjusts is stale
     */
    public boolean bounds(Bounds other) {
        overrides.base(Objects.requireNonNull(other, "bounds"));
        sampler.requestUpdate();
        return hasEffect();
    }

    /**
     * Takes the current dial of the limiter if its own is stale, and continues from the limit in force there, moved into the
     * bounds at once. Without effect otherwise.
     *
     * @return false if this has no effect, because it is closed, or what it adjusts instead of the limiter is stale
     */
    public boolean attach() {
        if (ownDial && !hasEffect() && !closed) {
            Adjustable present = limiter.dial(claim);
            target = present;
            otherLimit.set(present.limit());
            sampler.requestUpdate();
        }
        return hasEffect();
    }

    private boolean hasEffect() {
        return !closed && !guarded(() -> target.stale(), false);
    }

    /**
     * Sets other bounds for this long, for instance to raise a limit for an hour. The limit moves into them at once, and back
     * into the former bounds when they end, with the first slice afterwards. Of several overrides the newest is in force.
     *
     * @param why the reason, for the explanations of changes; not blank
     * @return ends the override early
     * @throws IllegalArgumentException if the duration is not more than 0, or {@code why} is blank
     */
    public Registration override(Bounds other, Duration duration, String why) {
        Registration added = overrides.add(other, duration, why);
        sampler.requestUpdate();
        return () -> {
            added.close();
            sampler.requestUpdate();
        };
    }

    private void update() {
        if (closed) {
            return;
        }
        try {
            moveIntoBounds();
            learned = describe();
        } catch (Throwable t) {
            failures.getAndIncrement();
        }
    }

    private void moveIntoBounds() {
        Overrides.NamedBounds current = overrides.current();
        Overrides.NamedBounds before = applied;
        applied = current;
        long put = otherLimit.getAndSet(NONE);
        proposed = current.bounds().clamp(put == NONE ? proposed : put);
        move(proposed, current.after(before), null);
    }

    private Map<String, Double> describe() {
        Map<String, Double> known = new HashMap<>(controller.learned());
        Window seen = lastWindow;
        if (seen != null) {
            known.put("window.latencyNanos", seen.latencies().mean());
            known.put("window.throughput", seen.throughput());
            known.put("window.maxInFlight", (double) seen.maxInFlight());
        }
        return Map.copyOf(known);
    }

    /**
     * The values to save over a restart, by name: what the controller has learned and, as {@code window.*}, the mean latency, the
     * throughput and the maximum in flight of its last window. Up to date, or of a moment ago if a window is being evaluated.
     */
    @Override
    public Map<String, Double> learned() {
        sampler.requestUpdate();
        return learned;
    }

    /** The limiter under control. */
    public ManagedLimiter limiter() {
        return limiter;
    }

    @Override
    public ControlSnapshot snapshot() {
        return new ControlSnapshot(
                limiter.name(),
                target.limit(),
                overrides.inForce(),
                why(),
                updates.get(),
                failures.get(),
                sampler.unusable(),
                !hasEffect(),
                adjustments.last());
    }

    /**
     * Releases the dial; the limit stays as it is. Idempotent. Waits at most for a change of the limiter that is under way: when this
     * has returned, this control changes the limiter no more. What it adjusts instead of the limiter, such as a pool, may
     * be changed once more by a thread that evaluates a window at this moment.
     */
    @Override
    public void close() {
        closed = true;
        observing.close();
        claim.close();
    }

    /** The last adjustments of a limit, and the listeners to each. Thread-safe. */
    private static final class AdjustmentLog {
        private static final int SIZE = 50;

        private final Deque<Adjustment> last = new ArrayDeque<>();
        private final InstantSource clock;
        private final List<Consumer<Adjustment>> listeners;
        private final AtomicLong failures;

        /** {@code failures} counts what listeners throw. */
        AdjustmentLog(InstantSource clock, List<Consumer<Adjustment>> listeners, AtomicLong failures) {
            this.clock = clock;
            this.listeners = List.copyOf(listeners);
            this.failures = failures;
        }

        /** Adds an adjustment; listeners are told if the controller made it. */
        void add(long from, long to, String why, @Nullable Window window) {
            Adjustment adjustment = new Adjustment(clock.instant(), from, to, why, window);
            synchronized (last) {
                last.addLast(adjustment);
                if (last.size() > SIZE) {
                    last.removeFirst();
                }
            }
            for (Consumer<Adjustment> listener : window == null ? List.<Consumer<Adjustment>>of() : listeners) {
                try {
                    listener.accept(adjustment);
                } catch (Throwable t) {
                    failures.getAndIncrement();
                }
            }
        }

        /** The oldest first. */
        List<Adjustment> last() {
            synchronized (last) {
                return List.copyOf(last);
            }
        }
    }
}
