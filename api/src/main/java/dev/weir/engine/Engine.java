package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Succession;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The one limiter there is. */
final class Engine implements ManagedLimiter {
    /*
     * Admission reads one slot and works with what it found there; the permit holds the strategy that granted it. What a
     * strategy answered counts only if it was still in force afterwards, else it is taken back and the one in force
     * is asked. So a changer, who first publishes that a change is going on and then reads what was consumed, misses
     * nothing:
     *
     *     request                        changer
     *     reads slot                     slot := the same, changing
     *     strategy.acquire (a CAS)       reads what was consumed, makes the successor
     *     reads slot again               slot := successor
     *
     * Either the request sees the change, or the changer what was granted. Meanwhile other requests wait for a moment.
     *
     * Changes are made under `changes` and followed by wake-ups and observers after the lock is left. `direct` is the
     * slot's strategy again where that is all a slot has to say, one load nearer; a reader between the two writes finds
     * an older strategy with a newer slot, and takes from the slot only the text of a refusal.
     */
    final String name;
    final Counts counts = new Counts();
    final Ticker ticker;
    final Failures failures;
    private final Object changes = new Object();
    private final EnforcedShare share = new EnforcedShare();
    private final Hold hold = new Hold();
    final Timed timedOut = new Timed();
    private final WakeUps wakeUps;
    private volatile Slot slot;
    private Succession succession;
    private volatile @Nullable Strategy direct;
    private final Replaced replaced = new Replaced();

    Engine(Limiters.Builder asked) {
        this.name = asked.name;
        this.ticker = asked.ticker;
        this.failures = new Failures(asked.name, counts, asked.classifier);
        this.wakeUps = new WakeUps(failures);
        Tracker tracker = asked.trackOneIn > 0 ? new Tracker(asked.trackOneIn, ticker) : null;
        this.succession = Succession.first(asked.spec, ticker);
        Watch watch = new Watch(List.of(), false, 1, tracker).orNull();
        this.slot = new Slot(this, asked.spec, succession.strategy(), watch, new Object());
        this.direct = slot.direct();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Decision tryAcquire(Request request) {
        Strategy alone = direct;
        if (alone != null) {
            long answer = Slot.ask(alone, request);
            if (direct == alone || isLast(answer)) {
                return answer == Strategy.GRANTED
                        ? Slot.permit(this, alone, request)
                        : slot.rejection(alone, request, answer);
            }
            takeBack(alone, request, answer);
        }
        for (; ; ) {
            Slot s = inForce();
            if (s.watch != null) {
                return watched(request, null, true);
            }
            Strategy strategy = s.strategyFor(request);
            long answer = Slot.ask(strategy, request);
            if (isInForce(s) || isLast(answer)) {
                return answer == Strategy.GRANTED
                        ? Slot.permit(this, strategy, request)
                        : s.rejection(strategy, request, answer);
            }
            takeBack(strategy, request, answer);
        }
    }

    @Override
    public Decision attempt(Request request) {
        return attempt(request, null);
    }

    @Override
    public Decision attempt(Request request, @Nullable Object arrival) {
        for (; ; ) {
            Slot s = inForce();
            if (s.watch != null) {
                return watched(request, arrival instanceof Arrival known ? known : new Arrival(null), false);
            }
            Trace trace = s.refunds ? new Trace(null, ticker.read(), false, true) : null;
            Strategy strategy = s.strategyFor(request);
            long answer = Slot.ask(strategy, request);
            if (isInForce(s)) {
                return answer == Strategy.GRANTED
                        ? Slot.heldPermit(this, strategy, request, trace)
                        : s.rejection(strategy, request, answer);
            }
            takeBack(strategy, request, answer);
        }
    }

    @Override
    public @Nullable Object arrival() {
        Watch watch = slot.watch;
        return watch == null ? null : watch.arrival();
    }

    /* With an arrival for an attempt, of which observers are told only if it is granted. */
    private Decision watched(Request request, @Nullable Arrival arrival, boolean tellsRefusal) {
        for (; ; ) {
            Slot s = inForce();
            Watch watch = s.watchOrNone();
            Trace trace = watch.trace(this, arrival != null && s.refunds);
            Strategy strategy = s.strategyFor(request);
            long answer = Slot.ask(strategy, request);
            if (!isInForce(s)) {
                takeBack(strategy, request, answer);
                continue;
            }
            boolean isOver = answer != Strategy.GRANTED && strategy != Closed.INSTANCE;
            boolean passed = isOver && share.letsThrough(watch.enforced, arrival);
            if (answer != Strategy.GRANTED && !passed) {
                Rejection rejection = s.rejection(strategy, request, answer);
                if (tellsRefusal) {
                    watch.rejected(this, request, rejection);
                }
                return rejection;
            }
            return watch.permit(this, passed ? Passed.INSTANCE : strategy, request, trace, arrival);
        }
    }

    @Override
    public double enforced() {
        Watch watch = slot.watch;
        return watch == null ? 1 : watch.enforced;
    }

    @Override
    public @Nullable Permit letThrough(Request request, @Nullable Object arrival) {
        Slot s = slot;
        Watch watch = s.watchOrNone();
        Arrival known = arrival instanceof Arrival kept ? kept : null;
        boolean passes = s.strategy != Closed.INSTANCE && share.letsThrough(watch.enforced, known);
        return passes ? watch.permit(this, Passed.INSTANCE, request, watch.trace(this, false), known) : null;
    }

    private Slot inForce() {
        Slot s = slot;
        return s.changing ? afterChange() : s;
    }

    private Slot afterChange() {
        if (Thread.holdsLock(changes)) {
            throw new IllegalStateException("limiter " + name + " was asked by what is changing it");
        }
        synchronized (changes) {
            return slot;
        }
    }

    private boolean isInForce(Slot s) {
        Slot now = slot;
        return now == s || (now.strategy == s.strategy && !now.changing);
    }

    /* A grant that a close overtook came before it: nothing follows that it could exceed. */
    private boolean isLast(long answer) {
        return answer == Strategy.GRANTED && slot.strategy == Closed.INSTANCE;
    }

    /* What was held for a moment may have been the reason for a refusal, so whoever waits asks again. */
    private void takeBack(Strategy strategy, Request request, long answer) {
        if (answer == Strategy.GRANTED) {
            giveBack(strategy, request, Outcome.CANCELLED);
        } else {
            wakeUps.run();
        }
    }

    @Override
    public void run(Request request, Runnable work, Consumer<? super Rejection> fallback) {
        Strategy alone = direct;
        Decision decision = enter(alone, request);
        if (decision instanceof Rejection rejection) {
            fallback.accept(rejection);
            return;
        }
        Outcome outcome = Outcome.IGNORED;
        try {
            work.run();
            outcome = Outcome.SUCCESS;
        } catch (Throwable t) {
            outcome = failures.outcomeOf(t);
            throw t;
        } finally {
            leave(alone, decision, request, outcome);
        }
    }

    @Override
    public <T> T call(Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback)
            throws Exception {
        Strategy alone = direct;
        Decision decision = enter(alone, request);
        if (decision instanceof Rejection rejection) {
            return fallback.apply(rejection);
        }
        Outcome outcome = Outcome.IGNORED;
        try {
            T result = work.call();
            outcome = Outcome.SUCCESS;
            return result;
        } catch (Throwable t) {
            outcome = failures.outcomeOf(t);
            throw t;
        } finally {
            leave(alone, decision, request, outcome);
        }
    }

    /* Null if this strategy granted: then no permit is made. */
    private @Nullable Decision enter(@Nullable Strategy alone, Request request) {
        if (alone != null) {
            long answer = Slot.ask(alone, request);
            if (direct == alone || isLast(answer)) {
                return answer == Strategy.GRANTED ? null : slot.rejection(alone, request, answer);
            }
            takeBack(alone, request, answer);
        }
        return tryAcquire(request);
    }

    private void leave(@Nullable Strategy alone, @Nullable Decision decision, Request request, Outcome outcome) {
        if (decision instanceof Permit permit) {
            permit.release(outcome);
        } else if (alone != null) {
            giveBack(alone, request, outcome);
        }
    }

    void giveBack(Strategy strategy, Request request, Outcome outcome) {
        try {
            Slot.release(strategy, request, outcome);
        } catch (Throwable t) {
            failures.ignore(t);
        }
        wakeUps.run();
    }

    void giveBackTraced(HeldPermit permit, Strategy strategy, Request request, Outcome outcome, Trace trace) {
        try {
            Slot.release(strategy, request, outcome);
            if (outcome == Outcome.CANCELLED && trace.refundable && strategy.refunds()) {
                strategy.refund(request, trace.grantedAt);
            }
        } catch (Throwable t) {
            failures.ignore(t);
        }
        wakeUps.run();
        try {
            if (trace.watch != null) {
                trace.watch.released(this, permit, request, outcome, trace);
            }
        } catch (Throwable t) {
            failures.ignore(t);
        }
    }

    @Override
    public Registration whenCapacity(Runnable wakeUp) {
        return wakeUps.add(Objects.requireNonNull(wakeUp, "wakeUp"));
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
        wakeUps.run();
    }

    private void rewatch(UnaryOperator<Watch> change) {
        synchronized (changes) {
            Slot s = slot;
            publish(s.with(change.apply(s.watchOrNone()).orNull()));
        }
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
            next = changed(s, spec);
        }
        settle(next.strategy);
        wakeUps.run();
        next.watchOrNone().limitChanged(this, from, next.strategy.limit(), "reconfigured");
    }

    private void settle(Strategy strategy) {
        for (Strategy member : strategy.members()) {
            try {
                member.settle();
            } catch (Throwable t) {
                failures.ignore(t);
            }
        }
    }

    private Slot changed(Slot s, StrategySpec spec) {
        try {
            succession = succession.next(spec, ticker, () -> publish(s.changing()));
        } catch (Throwable t) {
            publish(s);
            throw t;
        }
        return swap(s, spec, succession.strategy());
    }

    private Slot swap(Slot s, StrategySpec spec, Strategy strategy) {
        if (strategy != s.strategy) {
            replaced.add(s.strategy);
        }
        Object era = strategy == s.strategy ? s.era : new Object();
        Slot next = new Slot(this, spec, strategy, s.watch, era);
        if (spec.parts().get(0).equals(s.spec.parts().get(0)) && strategy.target() == s.strategy.target()) {
            next.limitSetByAsIn(s);
        }
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
            slot.limitIs(limit, why);
        }
        if (limit > from) {
            wakeUps.run();
        }
        slot.watchOrNone().limitChanged(this, from, limit, why);
    }

    @Override
    public Snapshot snapshot() {
        return slot.snapshot(inFlight());
    }

    boolean isStale(Object era) {
        return slot.era != era;
    }

    @Override
    public long inFlight() {
        Strategy strategy = slot.strategy;
        return strategy == Closed.INSTANCE ? replaced.inFlight() : strategy.inFlight();
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
    public Predicate<Request> grantable() {
        return slot.grantable();
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

    @Override
    public List<HeldLong> heldLongerThan(Duration age) {
        Tracker tracker = slot.watchOrNone().tracker;
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
            wakeUps.add(() -> {
                if (replaced.inFlight() == 0 && told.compareAndSet(false, true)) {
                    closed.watchOrNone().drained(this);
                }
            });
        }
        wakeUps.run();
    }
}
