package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.InFlight;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The one limiter there is. */
final class Engine implements ManagedLimiter {
    /*
     * Admission reads one slot and works with what it found there, whatever is swapped meanwhile: the permit holds the
     * strategy that granted it. Changes are made under `changes`, published by one write of `slot`, and followed by
     * wake-ups and observers after the lock is left. `direct` is the slot's strategy again where that is all a slot has
     * to say, one load nearer; a reader between the two writes finds an older strategy with a newer slot, and all he
     * takes from the slot is the text of a refusal.
     *
     * No wake-up is lost. A waiter registers, then asks once more; a releaser returns capacity, then reads `wakeUps`:
     *
     *     waiter                         releaser
     *     wakeUps := + waiter            strategy.release (a CAS)
     *     strategy.acquire               read wakeUps
     *
     * Both writes are volatile, so in every order one of the two reads sees the other's write.
     */
    private static final List<Runnable> NOBODY = List.of();

    final String name;
    final Counts counts = new Counts();
    final Ticker ticker;
    private final Function<? super Throwable, Outcome> classifier;
    private final Object changes = new Object();
    private final AtomicLong overLimit = new AtomicLong();
    private final AtomicBoolean complained = new AtomicBoolean();
    private final Hold hold = new Hold();
    final Timed timedOut = new Timed();
    private volatile Slot slot;
    private volatile @Nullable Strategy direct;
    private volatile List<Runnable> wakeUps = NOBODY;
    private List<Strategy> replaced = List.of();

    Engine(Limiters.Builder asked) {
        this.name = asked.name;
        this.ticker = asked.ticker;
        this.classifier = asked.classifier;
        Tracker tracker = asked.trackOneIn > 0 ? new Tracker(asked.trackOneIn, ticker) : null;
        Strategy strategy = Objects.requireNonNull(asked.spec.create(ticker), "create(ticker)");
        this.slot =
                new Slot(this, asked.spec, strategy, new Watch(List.of(), false, 1, tracker).orNull(), new Object());
        this.direct = slot.direct();
        HeldPermit.link(this);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Decision tryAcquire(Request request) {
        Strategy alone = direct;
        if (alone != null) {
            long answer = Headroom.acquire(alone, request);
            return answer == Strategy.GRANTED
                    ? Slot.heldPermit(this, alone, request, null)
                    : slot.rejection(alone, request, answer);
        }
        Slot s = slot;
        if (s.watch != null) {
            return watched(s, s.watch, request, true);
        }
        Strategy strategy = s.strategyFor(request);
        long answer = Headroom.acquire(strategy, request);
        return answer == Strategy.GRANTED ? s.permit(strategy, request) : s.rejection(strategy, request, answer);
    }

    @Override
    public Decision attempt(Request request) {
        if (direct instanceof InFlight alone) {
            long answer = Headroom.ask(alone, request);
            return answer == Strategy.GRANTED
                    ? Slot.heldPermit(this, alone, request, null)
                    : slot.rejection(alone, request, answer);
        }
        Slot s = slot;
        if (s.watch != null) {
            return watched(s, s.watch, request, false);
        }
        Trace trace = s.refunds ? new Trace(null, ticker.read(), false) : null;
        Strategy strategy = s.strategyFor(request);
        long answer = Headroom.ask(strategy, request);
        return answer == Strategy.GRANTED
                ? Slot.heldPermit(this, strategy, request, trace)
                : s.rejection(strategy, request, answer);
    }

    private Decision watched(Slot s, Watch watch, Request request, boolean tellRefusal) {
        boolean timed = watch.timesNext(this);
        boolean dated = timed || watch.tracker != null || s.refunds;
        Trace trace = dated ? new Trace(watch, ticker.read(), timed) : watch.plain;
        Strategy strategy = s.strategyFor(request);
        long answer = tellRefusal ? Headroom.acquire(strategy, request) : Headroom.ask(strategy, request);
        if (answer == Strategy.GRANTED && slot.strategy == Closed.INSTANCE) {
            // Closed meanwhile, and observers may have heard that nobody is inside.
            giveBack(strategy, request, Outcome.CANCELLED);
            return watched(slot, watch, request, tellRefusal);
        }
        boolean passed = answer != Strategy.GRANTED && letsThrough(s, watch);
        if (answer != Strategy.GRANTED && !passed) {
            Rejection rejection = s.rejection(strategy, request, answer);
            if (tellRefusal) {
                watch.rejected(this, request, rejection);
            }
            return rejection;
        }
        HeldPermit permit = Slot.heldPermit(this, passed ? Closed.INSTANCE : strategy, request, trace);
        try {
            watch.admitted(this, permit, request, passed);
        } catch (Throwable t) {
            swallow(t);
        }
        return permit;
    }

    /* The golden ratio spreads the refusals that are let through evenly, at any share and without a draw. */
    private boolean letsThrough(Slot s, Watch watch) {
        if (watch.enforced >= 1 || s.strategy == Closed.INSTANCE) {
            return false;
        }
        long point = overLimit.getAndIncrement() * 0x9E3779B9L & 0xFFFF_FFFFL;
        return point >= (long) (watch.enforced * 0x1p32);
    }

    @Override
    public void run(Request request, Runnable work, Consumer<? super Rejection> fallback) {
        Strategy strategy = direct;
        if (strategy == null) {
            Slot s = slot;
            if (s.watch != null) {
                runWatched(s, s.watch, request, work, fallback);
                return;
            }
            strategy = s.strategyFor(request);
        }
        long answer = Headroom.acquire(strategy, request);
        if (answer != Strategy.GRANTED) {
            fallback.accept(slot.rejection(strategy, request, answer));
            return;
        }
        Outcome outcome = Outcome.IGNORED;
        try {
            work.run();
            outcome = Outcome.SUCCESS;
        } catch (Throwable t) {
            outcome = outcomeOf(t);
            throw t;
        } finally {
            giveBack(strategy, request, outcome);
        }
    }

    private void runWatched(Slot s, Watch watch, Request request, Runnable work, Consumer<? super Rejection> fallback) {
        Decision decision = watched(s, watch, request, true);
        if (decision instanceof Permit permit) {
            Outcome outcome = Outcome.IGNORED;
            try {
                work.run();
                outcome = Outcome.SUCCESS;
            } catch (Throwable t) {
                outcome = outcomeOf(t);
                throw t;
            } finally {
                permit.release(outcome);
            }
        } else if (decision instanceof Rejection rejection) {
            fallback.accept(rejection);
        }
    }

    @Override
    public <T> T call(Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback)
            throws Exception {
        Strategy strategy = direct;
        if (strategy == null) {
            Slot s = slot;
            if (s.watch != null) {
                return callWatched(s, s.watch, request, work, fallback);
            }
            strategy = s.strategyFor(request);
        }
        long answer = Headroom.acquire(strategy, request);
        if (answer != Strategy.GRANTED) {
            return fallback.apply(slot.rejection(strategy, request, answer));
        }
        Outcome outcome = Outcome.IGNORED;
        try {
            T result = work.call();
            outcome = Outcome.SUCCESS;
            return result;
        } catch (Throwable t) {
            outcome = outcomeOf(t);
            throw t;
        } finally {
            giveBack(strategy, request, outcome);
        }
    }

    private <T> T callWatched(
            Slot s,
            Watch watch,
            Request request,
            Callable<? extends T> work,
            Function<? super Rejection, ? extends T> fallback)
            throws Exception {
        Decision decision = watched(s, watch, request, true);
        if (decision instanceof Rejection rejection) {
            return fallback.apply(rejection);
        }
        Permit permit = (Permit) decision;
        Outcome outcome = Outcome.IGNORED;
        try {
            T result = work.call();
            outcome = Outcome.SUCCESS;
            return result;
        } catch (Throwable t) {
            outcome = outcomeOf(t);
            throw t;
        } finally {
            permit.release(outcome);
        }
    }

    Outcome outcomeOf(Throwable thrown) {
        try {
            return Objects.requireNonNull(classifier.apply(thrown), "classifier");
        } catch (Throwable t) {
            swallow(t);
            return Outcome.IGNORED;
        }
    }

    void giveBack(Strategy strategy, Request request, Outcome outcome) {
        release(strategy, request, outcome);
        wake();
    }

    /* The plain counter is named, here and where it is acquired, because a process with three kinds of strategies has
    no call of theirs inlined; a comparison costs less than such a call. */
    private static void release(Strategy strategy, Request request, Outcome outcome) {
        if (strategy instanceof InFlight counter) {
            counter.release(request, outcome);
        } else {
            strategy.release(request, outcome);
        }
    }

    void giveBackTraced(HeldPermit permit, Strategy strategy, Request request, Outcome outcome, Trace trace) {
        release(strategy, request, outcome);
        if (outcome == Outcome.CANCELLED && strategy.refunds()) {
            strategy.refund(request, trace.grantedAt);
        }
        wake();
        try {
            if (trace.watch != null) {
                trace.watch.released(this, permit, request, outcome, trace);
            }
        } catch (Throwable t) {
            swallow(t);
        }
    }

    private void wake() {
        List<Runnable> registered = wakeUps;
        if (registered != NOBODY) {
            wake(registered);
        }
    }

    private void wake(List<Runnable> registered) {
        for (int i = 0; i < registered.size(); i++) {
            try {
                registered.get(i).run();
            } catch (Throwable t) {
                swallow(t);
            }
        }
    }

    void swallow(Throwable thrown) {
        counts.countFailure();
        try {
            if (complained.compareAndSet(false, true)) {
                System.getLogger(Engine.class.getName())
                        .log(Logger.Level.WARNING, "limiter " + name + ": code it called failed (told once)", thrown);
            }
        } catch (Throwable ignored) {
            // A logger that fails has nobody left to tell.
        }
    }

    @Override
    public Registration whenCapacity(Runnable wakeUp) {
        Objects.requireNonNull(wakeUp, "wakeUp");
        synchronized (changes) {
            wakeUps = Copies.with(wakeUps, wakeUp);
        }
        return Once.of(() -> {
            synchronized (changes) {
                List<Runnable> rest = Copies.without(wakeUps, wakeUp);
                wakeUps = rest.isEmpty() ? NOBODY : rest;
            }
        });
    }

    @Override
    public Registration observe(LimiterObserver observer) {
        Objects.requireNonNull(observer, "observer");
        rewatch(w -> w.telling(Copies.with(w.observers, observer)));
        return Once.of(() -> rewatch(w -> w.telling(Copies.without(w.observers, observer))));
    }

    @Override
    public Counts counts() {
        rewatch(w -> new Watch(w.observers, true, w.enforced, w.tracker));
        return counts;
    }

    @Override
    public void enforce(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be within 0 and 1, was " + share);
        }
        rewatch(w -> new Watch(w.observers, w.counting, share, w.tracker));
    }

    private void rewatch(UnaryOperator<Watch> change) {
        synchronized (changes) {
            Slot s = slot;
            publish(s.with(change.apply(watchOf(s)).orNull()));
        }
    }

    private static Watch watchOf(Slot s) {
        return s.watch == null ? Watch.NONE : s.watch;
    }

    @Override
    public StrategySpec spec() {
        return slot.spec;
    }

    @Override
    public void reconfigure(StrategySpec spec) {
        Objects.requireNonNull(spec, "spec");
        long from;
        Slot next;
        synchronized (changes) {
            Slot s = slot;
            if (s.strategy == Closed.INSTANCE) {
                throw new IllegalStateException("limiter " + name + " is closed");
            }
            if (spec.equals(s.spec)) {
                return;
            }
            from = s.strategy.limit();
            next = swap(s, spec, Objects.requireNonNull(spec.succeed(s.strategy, ticker), "succeed(..)"));
        }
        wake();
        watchOf(next).limitChanged(this, from, next.strategy.limit(), "reconfigured");
    }

    private Slot swap(Slot s, StrategySpec spec, Strategy strategy) {
        if (strategy != s.strategy) {
            replaced = Stream.concat(replaced.stream().filter(old -> old.inFlight() > 0), Stream.of(s.strategy))
                    .toList();
        }
        Object era = strategy == s.strategy ? s.era : new Object();
        Slot next = new Slot(this, spec, strategy, s.watch, era);
        publish(next);
        return next;
    }

    private void publish(Slot next) {
        slot = next;
        direct = next.direct();
    }

    @Override
    public Adjustable dial() {
        return new Dial(this, slot);
    }

    @Override
    public Registration holdDial(String hand) {
        return hold.claimed(hand, name);
    }

    /** Turns the limit, if this strategy has not been replaced since the era of the dial began. */
    void turn(Strategy strategy, Object era, long limit, String why) {
        long from;
        synchronized (changes) {
            from = strategy.target();
            if (slot.era != era || from == limit) {
                return;
            }
            strategy.setLimit(limit);
            slot.limitIs(limit);
        }
        if (limit > from) {
            wake();
        }
        watchOf(slot).limitChanged(this, from, limit, why);
    }

    @Override
    public Snapshot snapshot() {
        Slot s = slot;
        Watch watch = watchOf(s);
        long oldest = watch.tracker == null ? 0 : watch.tracker.oldestNanos();
        return new Snapshot(
                name,
                s.spec,
                s.strategy.limit(),
                inFlight(),
                watch.enforced,
                oldest,
                s.strategy.debtNanos(),
                s.strategy.details());
    }

    @Override
    public long inFlight() {
        Strategy strategy = slot.strategy;
        return strategy == Closed.INSTANCE ? stillOut() : strategy.inFlight();
    }

    @Override
    public long remaining() {
        return slot.strategy.remaining();
    }

    @Override
    public Ticker ticker() {
        return ticker;
    }

    @Override
    public void refused(Request request, Rejection rejection) {
        Watch watch = slot.watch;
        if (watch != null) {
            watch.rejected(this, request, rejection);
        }
    }

    @Override
    public boolean refusesAlike() {
        return !slot.explains;
    }

    @Override
    public boolean holds() {
        return slot.holds;
    }

    @Override
    public long[] timedAges() {
        return timedOut.ages(ticker.read());
    }

    private long stillOut() {
        synchronized (changes) {
            return replaced.stream().mapToLong(Strategy::inFlight).max().orElse(0);
        }
    }

    @Override
    public List<HeldLong> heldLongerThan(Duration age) {
        Tracker tracker = watchOf(slot).tracker;
        return tracker == null ? List.of() : tracker.heldLongerThan(age.toNanos());
    }

    @Override
    public void close() {
        Slot closed;
        AtomicBoolean told = new AtomicBoolean();
        synchronized (changes) {
            Slot s = slot;
            if (s.strategy == Closed.INSTANCE) {
                return;
            }
            closed = swap(s, s.spec, Closed.INSTANCE);
            wakeUps = Copies.with(wakeUps, () -> {
                if (stillOut() == 0 && told.compareAndSet(false, true)) {
                    watchOf(closed).drained(this);
                }
            });
        }
        wake();
    }
}
