package dev.weir.queue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes callers wait before a limiter, for a rate or for concurrency, as blocked threads, platform or virtual, or as
 * futures. Thread-safe.
 *
 * <p>A fair queue grants in the order its {@link Discipline} says, first come, first served unless another is chosen:
 * nobody overtakes, across changes of the limiter too; {@link #tryAcquire} refuses while anybody waits. An unfair one asks
 * for newcomers first and is faster by that; a waiter is handed the next permit once it has waited for
 * {@link #HANDED_OVER_AFTER}.
 *
 * <p>A request that the limiter never grants, as one for more permits than the limit, is refused as {@code NEVER}, when it
 * comes or, behind others, when its turn comes. If the limit falls below a request that waits, that request keeps its place
 * and its deadline, others go before it meanwhile, and it has its turn again when the limit has room for it. The two are
 * told apart so: a request waits on if the limit that was in force when it came could have granted it with nothing in
 * flight or spent, or if it was refused for another reason than {@code NEVER} since. A request for one permit does not,
 * since no limit falls below that.
 *
 * <p>Where the limiter enforces its limit in part, each request is judged once: when the limiter refuses it, or when it would
 * have to wait behind others; and those who wait are judged when a smaller share is enforced.
 *
 * <p>A request is refused at once, as {@code TIMED_OUT}, where nobody waits and the limiter itself says that it takes longer
 * than the caller waits; and, in a {@linkplain QueueSpec#predictive() predictive} queue, where the pace of the last grants
 * shows it. Every refusal carries its reason and, where known, when to ask again; it is counted once, here and by the
 * limiter.
 */
public final class AdmissionQueue implements AsyncLimiter, AutoCloseable {
    /** For how long, at most, newcomers may overtake a waiter in an unfair queue; the next permit is for that waiter. */
    public static final Duration HANDED_OVER_AFTER = Duration.ofMillis(100);

    private static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000_000;

    private final String name;
    private final Gate gate;
    private final Ticker ticker;
    private final Asker asker;
    private final Line line;
    private final Registration registration;
    private final Object changes = new Object();
    /** Of the executors on this queue. */
    final Pairing pairing = new Pairing();

    /** Of the executors on this queue. */
    final Postponed postponed = new Postponed();

    private volatile boolean closed;

    private AdmissionQueue(Builder asked) {
        name = asked.name;
        gate = asked.gate;
        ticker = asked.ticker != null
                ? asked.ticker
                : gate instanceof ManagedLimiter limiter ? limiter.ticker() : Ticker.system();
        asker = new Asker(asked, ticker);
        line = asker.line();
        registration = gate.whenCapacity(asker::capacity);
    }

    /** A queue before this limiter. */
    public static AdmissionQueue before(ManagedLimiter limiter, QueueSpec spec) {
        return builder(limiter.name(), limiter, spec).build();
    }

    /** A queue before a gate, under this name. */
    public static Builder builder(String name, Gate gate, QueueSpec spec) {
        return new Builder(name, gate, spec);
    }

    /** What a queue is made of; not thread-safe. */
    public static final class Builder {
        final String name;
        final Gate gate;
        final QueueSpec spec;

        @Nullable
        Ticker ticker;

        @Nullable
        Alarm alarm;

        @Nullable
        Executor executor;

        private Builder(String name, Gate gate, QueueSpec spec) {
            this.name = Objects.requireNonNull(name, "name");
            this.gate = Objects.requireNonNull(gate, "gate");
            this.spec = Objects.requireNonNull(spec, "spec");
        }

        /**
         * The clock by which waits are measured. Default: that of the limiter, or {@link Ticker#system()} before another
         * kind of gate. A clock that is also an {@link Alarm} serves as both unless another alarm is given.
         */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** What wakes the queue when futures time out or a rate has permits again. Default: {@link Alarm#system()}. */
        public Builder alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "alarm");
            return this;
        }

        /**
         * Where futures are completed, and so where their dependent stages run. Default: threads of the queue's own, which
         * become more while stages block them, so that no answer waits for a stage of another, and end when idle. With
         * {@code Runnable::run} stages run on the thread that ended the wait. Time-outs do not depend on this executor.
         */
        public Builder executor(Executor other) {
            executor = Objects.requireNonNull(other, "executor");
            return this;
        }

        /** The queue; it listens to the gate until it is closed. */
        public AdmissionQueue build() {
            return new AdmissionQueue(this);
        }
    }

    /** The name of the limiter it stands before. */
    public String name() {
        return name;
    }

    /**
     * Asks once, without waiting. A fair queue refuses while anybody waits whose request the limit has room for. Does not
     * block.
     */
    public Decision tryAcquire(Request request) {
        return Objects.requireNonNull(counted(request, atTheDoor(request, 0, gate.arrival())));
    }

    /** As {@link #acquire(Request, Duration)}, waiting for {@link QueueSpec#maxWait}. */
    public Decision acquire(Request request) throws InterruptedException {
        return acquire(request, spec().maxWait());
    }

    /** As {@link #acquireAsync(Request, Duration)}, waiting for {@link QueueSpec#maxWait}. */
    public CompletableFuture<Decision> acquireAsync(Request request) {
        return acquireAsync(request, spec().maxWait());
    }

    /** As {@link #call(Request, Duration, Callable)}, waiting for {@link QueueSpec#maxWait}. */
    public <T> T call(Request request, Callable<? extends T> work) throws Exception {
        return call(request, spec().maxWait(), work);
    }

    /** As {@link #run(Request, Duration, Runnable)}, waiting for {@link QueueSpec#maxWait}. */
    public void run(Request request, Runnable work) throws InterruptedException {
        run(request, spec().maxWait(), work);
    }

    /** As {@link #callAsync(Request, Duration, Supplier)}, waiting for {@link QueueSpec#maxWait}. */
    public <T> CompletableFuture<T> callAsync(Request request, Supplier<? extends CompletionStage<T>> work) {
        return callAsync(request, spec().maxWait(), work);
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Object kept = gate.arrival();
        Decision asked = closed ? null : asker.newcomer(request, kept);
        if (asked instanceof Permit) {
            return asked;
        }
        long patience = patience(request, maxWait);
        Decision turnedAway = counted(request, turnedAway((Rejection) asked, patience));
        if (turnedAway != null) {
            return turnedAway;
        }
        Waiter waiter =
                new Waiter(request, ticker.read(), patience, Thread.currentThread(), null, kept, gate.grantable());
        Rejection refused = entered(waiter);
        if (refused != null) {
            return refused;
        }
        try {
            return await(waiter);
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        long patience = patience(request, maxWait);
        Object kept = gate.arrival();
        Decision atOnce = counted(request, atTheDoor(request, patience, kept));
        if (atOnce != null) {
            return CompletableFuture.completedFuture(atOnce);
        }
        Answer answer = new Answer(this);
        Rejection refused = stand(request, patience, answer, kept);
        return refused == null ? answer : CompletableFuture.completedFuture(refused);
    }

    /** Null once the request stands in line, to be answered; it may have been by then. */
    @Nullable
    Rejection stand(Request request, long patience, Answer answer, @Nullable Object kept) {
        Waiter waiter = new Waiter(request, ticker.read(), patience, null, answer, kept, gate.grantable());
        answer.of(waiter);
        Rejection refused = entered(waiter);
        if (refused != null) {
            return refused;
        }
        try {
            asker.entered(waiter);
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
        return null;
    }

    /** For one whose caller hears of an error instead of his decision. */
    private void abandon(Waiter waiter) {
        if (waiter.end(asker.refusal(Reason.CANCELLED))) {
            asker.left(waiter);
            if (waiter.isCountedLater()) {
                refused(waiter.request, (Rejection) Objects.requireNonNull(waiter.ending()), waiter.answer);
            }
        } else if ((waiter.answer == null || !waiter.answer.cancel(false))
                && waiter.ending() instanceof Permit permit) {
            permit.release(Outcome.CANCELLED);
        }
    }

    static long patience(Request request, Duration maxWait) {
        long allowed = maxWait.isNegative() ? 0 : saturatedNanos(maxWait);
        return Math.min(allowed, request.deadlineNanos());
    }

    private static long saturatedNanos(Duration duration) {
        return duration.toSeconds() >= MOST_SECONDS ? Long.MAX_VALUE : duration.toNanos();
    }

    /** The answer to a request that does not wait, which is not counted yet; null to one that is to wait. */
    @Nullable
    Decision atTheDoor(Request request, long patience, @Nullable Object kept) {
        Decision asked = closed ? null : asker.newcomer(request, kept);
        return asked instanceof Permit ? asked : turnedAway((Rejection) asked, patience);
    }

    private @Nullable Rejection turnedAway(@Nullable Rejection refused, long patience) {
        return closed && patience <= 0 ? asker.refusal(Reason.CANCELLED) : asker.turnedAway(refused, patience);
    }

    private @Nullable Decision counted(Request request, @Nullable Decision atOnce) {
        if (atOnce instanceof Rejection rejection) {
            refused(request, rejection, null);
        }
        return atOnce;
    }

    /** Counts and tells a refusal that was not counted when it came; where it waited, its place. */
    void refused(Request request, Rejection rejection, @Nullable Answer place) {
        line.refused(rejection.reason());
        Waiter waiter = place == null ? null : place.waiter();
        if (waiter != null && waiter.ending() instanceof Rejection) {
            asker.answers().told(waiter);
        } else {
            asker.answers().refused(request, rejection);
        }
    }

    /** Null once the waiter is in the line. */
    private @Nullable Rejection entered(Waiter waiter) {
        Reason refused = line.enter(waiter);
        Waiter madeRoom = waiter.madeRoom;
        if (madeRoom != null) {
            waiter.madeRoom = null;
            if (refused != null) {
                asker.ask();
            }
            asker.answers().give(new ArrayList<>(List.of(madeRoom)));
        }
        if (refused == null) {
            return null;
        }
        Rejection rejection = asker.refusal(refused);
        if (!waiter.isCountedLater()) {
            asker.answers().refused(waiter.request, rejection);
        }
        return rejection;
    }

    /* Interrupt and grant meet at the waiter's end: who was granted keeps the flag, who was interrupted holds nothing. */
    private Decision await(Waiter waiter) throws InterruptedException {
        asker.entered(waiter);
        for (Decision ending = waiter.ending(); ; ending = waiter.ending()) {
            if (ending != null) {
                asker.callsAnother(waiter);
                return ending;
            }
            long waited = Math.max(0, ticker.read() - waiter.since);
            if (Thread.interrupted()) {
                if (waiter.end(asker.refusal(Reason.CANCELLED))) {
                    asker.left(waiter);
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt();
            } else if (waited < waiter.patience) {
                asker.waits(waiter, waited);
            } else if (waiter.end(asker.refusal(Reason.TIMED_OUT))) {
                asker.left(waiter);
            }
        }
    }

    /** Withdraws a request whose future was completed by its owner; false if it had ended before. */
    boolean withdraw(Waiter waiter) {
        boolean ends = waiter.end(asker.refusal(Reason.CANCELLED));
        if (ends) {
            asker.left(waiter);
        }
        return ends;
    }

    /** What the gate keeps of a request that arrives now, on the thread that makes it. */
    @Nullable
    Object arrival() {
        return gate.arrival();
    }

    /** Whether anybody waits. */
    boolean isWaitedFor() {
        return line.length() > 0;
    }

    /** Who of these has waited longest; the test must be quick. */
    @Nullable
    Waiter oldest(Predicate<Waiter> these) {
        return line.oldest(these);
    }

    /** Hears when somebody may be let in. */
    Registration whenCapacity(Runnable heard) {
        return gate.whenCapacity(heard);
    }

    /** Tells this observer how each wait ends, until the registration is closed. */
    public Registration observe(QueueObserver observer) {
        return asker.answers().observe(observer);
    }

    /** The specification in force. */
    public QueueSpec spec() {
        return asker.spec();
    }

    /**
     * Replaces the specification. Those who wait move in order of arrival and keep their deadlines; those the queue has no
     * room for are refused as {@code QUEUE_FULL}, the newest first. An equal specification changes nothing.
     *
     * @throws IllegalStateException if the queue is closed
     */
    public void reconfigure(QueueSpec next) {
        Objects.requireNonNull(next, "next");
        List<Waiter> ended = new ArrayList<>();
        synchronized (changes) {
            if (closed) {
                throw new IllegalStateException("the queue before " + name + " is closed");
            }
            if (next.equals(asker.spec())) {
                return;
            }
            line.become(next, ended);
            asker.spec(next);
        }
        asker.ask();
        asker.answers().give(ended);
    }

    /** The figures of this instant. */
    public QueueSnapshot snapshot() {
        long now = ticker.read();
        return line.snapshot(name, now, new Waiter(Request.ONE, now, Long.MAX_VALUE, null, null, null, one -> true));
    }

    /**
     * Refuses those who wait, and every later request, as {@code CANCELLED}. Permits that are out stay valid. The queue
     * then holds no alarm and is not held by its limiter. Idempotent.
     */
    @Override
    public void close() {
        List<Waiter> ended = new ArrayList<>();
        Ring pending;
        synchronized (changes) {
            closed = true;
            pending = line.close(ended);
        }
        registration.close();
        if (pending != null) {
            pending.cancel();
        }
        asker.answers().give(ended);
    }
}
