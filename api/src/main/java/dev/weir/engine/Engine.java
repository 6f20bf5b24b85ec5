package dev.weir.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Adjustable;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.internal.RequestRule;
import dev.weir.internal.RuledLimiter;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.succession.Succession;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The only limiter of this library: it grants by whatever strategy is in force, and replaces that while it runs. */
final class Engine implements ActiveLimiter, RuledLimiter {
    /*
     * An admission reads `active` once and works with what it found there: the strategy, and the rule by which that has requests
     * counted. The permit holds the strategy that granted it.
     * The answer of a strategy counts only if the strategy is still in force afterwards. Otherwise a grant is released and
     * the strategy in force now is asked. A changer first publishes that a change is under way and then reads what was
     * consumed, so it misses nothing:
     *
     *     request                        changer
     *     reads active                   active := the same, changing
     *     strategy.acquire (a CAS)       reads what was consumed, makes the successor
     *     reads active again             active := successor
     *
     * Either the request sees the change, or the changer sees the grant. Requests that come during a change wait for it. Changes
     * are made under `changes`; waiters are woken and observers are told after that lock is released.
     *
     * Most requests are for a plain counter alone. All else is in `admit`, which has more than the 325 bytecodes that the compiler
     * inlines at most: so what the counter needs is inlined into the caller, however many kinds of strategies a process has.
     */
    private final String name;
    private final Ticker ticker;
    private final ReleasePath path;
    private final OutstandingPermits outstanding;
    private final EnforcedShare share = new EnforcedShare();
    private final AtomicReference<Dial.@Nullable Claim> dialClaim = new AtomicReference<>();
    private final LimitEvents events = new LimitEvents();
    private final Object changes = new Object();
    private boolean isMakingChange; // under `changes`, as is what writes the next two
    private @Nullable RequestRule nextRule;
    private volatile Succession succession;
    volatile ActiveStrategy active;

    Engine(String name, StrategySpec spec, Ticker ticker, Function<? super Throwable, Outcome> classifier, int oneIn) {
        this.name = name;
        this.ticker = ticker;
        this.path = new ReleasePath(name, classifier, this::charge);
        this.outstanding = new OutstandingPermits(ticker);
        PartStrategy first = Parts.create(spec, ticker);
        this.succession = Succession.of(spec, first);
        Instrumentation none = new Instrumentation(oneIn, outstanding, path.failures, path.counts);
        Grantable grantable = new Grantable(spec, first.target(), ticker, path.failures);
        this.active = new ActiveStrategy(name, spec, first, none, null, new Object(), grantable, false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Decision tryAcquire(Request request) {
        ActiveStrategy now = active;
        InFlight counter = now.counter;
        return counter == null
                ? admit(now, request, false, false, null)
                : decide(now, counter, request, false, false, null);
    }

    @Override
    public Decision attempt(Request request) {
        return attempt(request, null);
    }

    @Override
    public Decision attempt(Request request, @Nullable Object requestData) {
        ActiveStrategy now = active;
        InFlight counter = now.counter;
        return counter == null
                ? admit(now, request, true, false, requestData)
                : decide(now, counter, request, true, false, requestData);
    }

    private Decision decide(
            ActiveStrategy now,
            InFlight counter,
            Request request,
            boolean queued,
            boolean work,
            @Nullable Object requestData) {
        long answer = counter.acquire(request);
        if (isInForce(now) || isGrantBeforeClose(answer, queued)) {
            if (answer != Strategy.GRANTED) {
                return now.rejection(request, answer);
            }
            return work ? SpentPermit.UNMADE : HeldPermit.of(path, counter, request, null, true);
        }
        path.takeBack(counter, request, answer);
        return admit(null, request, queued, work, requestData);
    }

    /* Observers are not told if a request of a queue is refused. What may be undone or refunded has a permit of its own, for it
    needs the time of the grant. */
    private Decision admit(
            @Nullable ActiveStrategy asked, Request given, boolean queued, boolean work, @Nullable Object data) {
        boolean own = queued || given.isRefundable() || given.isSettled();
        if (asked != null && asked.direct != null && !own) {
            Strategy direct = asked.direct;
            Request request = asked.counted(given);
            if (request == null) {
                return asked.withoutKey();
            }
            long answer = path.ask(direct, request);
            if (isInForce(asked) || isGrantBeforeClose(answer, queued)) {
                if (answer != Strategy.GRANTED) {
                    return asked.rejection(direct, request, answer);
                }
                return work && asked.rule == null ? SpentPermit.UNMADE : asked.permit(path, direct, request);
            }
            path.takeBack(direct, request, answer);
        }
        RequestData requestData = queued ? active.instrumentation.known(data) : null;
        for (; ; ) {
            ActiveStrategy now = active;
            if (now.changing) {
                now = afterChange();
            }
            Request request = now.counted(given);
            if (request == null) {
                return now.withoutKey();
            }
            Instrumentation instrumentation = now.instrumentation;
            PermitDetails details = instrumentation.details(own && (now.refunds || request.isSettled()));
            Strategy strategy = now.strategyFor(request);
            /* In a process with three kinds of strategies no call of them is inlined, and a comparison costs less. */
            long suspended = suspendedNanos(now);
            long answer = suspended > 0
                    ? Strategy.UNTIL_RELEASE
                    : strategy instanceof InFlight counter ? counter.acquire(request) : path.ask(strategy, request);
            boolean isOver = !isInForce(now) && (instrumentation.isActive || !isGrantBeforeClose(answer, queued));
            if (isOver || answer == PartStrategy.AGAIN) {
                path.takeBack(strategy, request, answer);
                continue;
            }
            if (answer == Strategy.GRANTED) {
                return own || details != null
                        ? now.permit(path, strategy, own, request, details, requestData)
                        : now.permit(path, strategy, request);
            }
            if (letsThrough(now, requestData)) {
                return now.permit(path, UnenforcedStrategy.INSTANCE, own, request, details, requestData);
            }
            Rejection rejection = suspended > 0 ? now.suspended(suspended) : now.rejection(strategy, request, answer);
            if (!queued) {
                instrumentation.rejected(request, rejection);
            }
            return rejection;
        }
    }

    private boolean letsThrough(ActiveStrategy now, @Nullable RequestData requestData) {
        return now.strategy != ClosedStrategy.INSTANCE && share.letsThrough(now.instrumentation.enforced, requestData);
    }

    private ActiveStrategy afterChange() {
        if (Thread.holdsLock(changes)) {
            throw new IllegalStateException("limiter " + name + " was asked for a permit by code that is changing it");
        }
        synchronized (changes) {
            return active;
        }
    }

    private boolean isInForce(ActiveStrategy asked) {
        ActiveStrategy now = active;
        return now == asked || (now.generation == asked.generation && !now.changing);
    }

    /* Such a grant counts: nothing is granted after a close that it could exceed. A queue refuses those who wait then. */
    private boolean isGrantBeforeClose(long answer, boolean queued) {
        return answer == Strategy.GRANTED && !queued && active.strategy == ClosedStrategy.INSTANCE;
    }

    /** A function that runs the work that a caller passed, and returns its result. A constant: it captures nothing. */
    private interface Body<W, T, X extends Exception> {
        T call(W work) throws X;

        /** The body of a {@code Runnable}; the result has no meaning. */
        static Boolean run(Runnable work) {
            work.run();
            return true;
        }

        /** The fallback of a {@code Runnable}; the result has no meaning. */
        static Boolean accept(Consumer<? super Rejection> fallback, Rejection rejection) {
            fallback.accept(rejection);
            return true;
        }
    }

    @Override
    public void run(Request request, Runnable work, Consumer<? super Rejection> fallback) {
        callUnderPermit(request, work, Body::run, fallback, Body::accept);
    }

    @Override
    public <T> T call(Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback)
            throws Exception {
        return callUnderPermit(request, work, Callable::call, fallback, Function::apply);
    }

    /* The functions that call the work and the fallback capture nothing, so that nothing is allocated. If one strategy
    alone decides, no permit is made either. */
    private <W, F, T, X extends Exception> T callUnderPermit(
            Request request, W work, Body<W, T, X> body, F fallback, BiFunction<F, Rejection, T> onRejection) throws X {
        ActiveStrategy now = active;
        InFlight counter = now.counter;
        Decision decision = counter == null
                ? admit(now, request, false, true, null)
                : decide(now, counter, request, false, true, null);
        if (decision instanceof Rejection rejection) {
            return onRejection.apply(fallback, rejection);
        }
        Outcome outcome = Outcome.IGNORED;
        try {
            T result = body.call(work);
            outcome = Outcome.SUCCESS;
            return result;
        } catch (Throwable t) {
            outcome = path.failures.outcomeOf(t);
            throw t;
        } finally {
            if (decision == SpentPermit.UNMADE) {
                path.release(now.strategy, request, outcome, false);
            } else if (decision instanceof Permit permit) {
                permit.release(outcome);
            }
        }
    }

    @Override
    public @Nullable Permit letThrough(Request request, @Nullable Object requestData) {
        ActiveStrategy now = active;
        RequestData known = now.instrumentation.known(requestData);
        if (!letsThrough(now, known)) {
            return null;
        }
        PermitDetails details = now.instrumentation.details(false);
        return now.permit(path, UnenforcedStrategy.INSTANCE, true, now.countedOrSame(request), details, known);
    }

    @Override
    public Registration whenReleased(Consumer<@Nullable Request> wakeUp) {
        return path.wakeUps.add(Objects.requireNonNull(wakeUp, "wakeUp"));
    }

    @Override
    public ActiveStrategy active() {
        return active;
    }

    @Override
    public boolean isChangedHere() {
        return Thread.holdsLock(changes);
    }

    @Override
    public ReleasePath path() {
        return path;
    }

    @Override
    public void instrument(UnaryOperator<Instrumentation> change) {
        synchronized (changes) {
            checkNoChangeIsMade();
            active = active.with(change.apply(active.instrumentation), active.rule);
        }
    }

    @Override
    public @Nullable RequestRule rule() {
        return active.rule;
    }

    @Override
    public void countNextBy(@Nullable RequestRule rule) {
        synchronized (changes) {
            nextRule = rule;
        }
    }

    @Override
    public void countBy(@Nullable RequestRule rule) {
        synchronized (changes) {
            checkNoChangeIsMade();
            nextRule = rule;
            if (Objects.equals(active.rule, rule)) {
                return;
            }
            active = active.with(active.instrumentation, rule);
        }
        path.wakeUps.run(null);
    }

    @Override
    public void reconfigure(StrategySpec spec) {
        Objects.requireNonNull(spec, "spec");
        ActiveStrategy next;
        synchronized (changes) {
            checkNoChangeIsMade();
            ActiveStrategy before = active;
            before.checkOpen();
            if (spec.equals(before.spec)) {
                return;
            }
            Parts.of(before.spec).checkSuccessor(spec);
            long from = before.strategy.limit();
            next = change(before, spec);
            events.add(next.instrumentation, from, next.limit(), "reconfigured");
        }
        next.settle(path.failures);
        path.wakeUps.run(null);
        events.tell();
    }

    @GuardedBy("changes")
    private ActiveStrategy change(ActiveStrategy before, StrategySpec spec) {
        ActiveStrategy[] next = {before};
        RequestRule rule = Objects.equals(nextRule, before.rule) ? before.rule : nextRule;
        isMakingChange = true;
        try {
            succession = succession.next(
                    spec,
                    ticker,
                    () -> active = before.changing(),
                    made -> next[0] = before.succeededBy(spec, rule, made));
        } catch (Throwable t) {
            next[0] = before;
            throw t;
        } finally {
            active = next[0];
            nextRule = next[0].rule;
            isMakingChange = false;
        }
        return next[0];
    }

    @GuardedBy("changes")
    private void checkNoChangeIsMade() {
        if (isMakingChange) {
            throw new IllegalStateException("limiter " + name + " was changed by code that is changing it");
        }
    }

    @Override
    public Adjustable dial() {
        return new Dial(this, active, null);
    }

    @Override
    public Registration claimDial(String owner) {
        return Dial.Claim.of(dialClaim, changes, owner, name);
    }

    @Override
    public Adjustable dial(Registration claim) {
        return new Dial(this, active, Dial.Claim.checked(claim, dialClaim));
    }

    /** Sets the limit of this strategy, unless the dial is stale. */
    void setLimit(PartStrategy strategy, Dial dial, long limit, String why) {
        long from;
        synchronized (changes) {
            checkNoChangeIsMade();
            from = strategy.target();
            if (dial.stale() || from == limit) {
                return;
            }
            strategy.setLimit(limit);
            active.limitIs(limit, why);
            events.add(active.instrumentation, from, limit, why);
        }
        path.wakeUps.run(null); // a limit that is too low for the first waiter lets others go before it
        events.tell();
    }

    @Override
    public Snapshot snapshot() {
        return active.snapshot(inFlight(), outstanding.oldestNanos(), ticker.read());
    }

    @Override
    public long inFlight() {
        return succession.inFlight();
    }

    @Override
    public Ticker ticker() {
        return ticker;
    }

    @Override
    public long[] timedAges() {
        return outstanding.timedAges();
    }

    @Override
    public List<LongHeldPermit> heldLongerThan(Duration age) {
        return outstanding.heldLongerThan(age.toNanos());
    }

    @Override
    public void close() {
        synchronized (changes) {
            checkNoChangeIsMade();
            if (active.strategy == ClosedStrategy.INSTANCE) {
                return;
            }
            active = active.succeededBy(active.spec, null, ClosedStrategy.INSTANCE);
            whenCapacity(Listeners.first(() -> inFlight() == 0, active.instrumentation::drained));
        }
        path.wakeUps.run(null);
    }
}
