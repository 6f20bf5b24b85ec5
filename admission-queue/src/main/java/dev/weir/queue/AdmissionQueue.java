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
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Patience before a limiter: who is not admitted at once may wait, for a rate or for concurrency, as a blocked thread,
 * platform or virtual, or as a future. Thread-safe.
 *
 * <p>A fair queue admits in the order its {@link Discipline} says, first come first served unless another is chosen:
 * nobody overtakes, across changes of the limiter too; {@link #tryAcquire} refuses while anybody waits. An unfair one
 * asks newcomers first and is faster by that; a waiter is handed the next permit once he has waited for
 * {@link #HANDED_OVER_AFTER}.
 *
 * <p>Who would wait in vain is refused at once: where nobody waits and the limiter says how long it takes, or where the
 * pace of at least eight grants since the line was last empty shows it. Every refusal carries its reason and, where known,
 * when to ask again.
 */
public final class AdmissionQueue implements AsyncLimiter, AutoCloseable {
    /** For how long, at most, newcomers may overtake a waiter in an unfair queue; the next permit is his. */
    public static final Duration HANDED_OVER_AFTER = Duration.ofMillis(100);

    private static final int WORKERS = 4;
    private static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000_000;

    private final String name;
    private final Gate gate;
    private final Ticker ticker;
    private final Asker asker;
    private final Line line;
    private final Registration registration;
    private final Object changes = new Object();
    private volatile boolean closed;

    private AdmissionQueue(Builder asked) {
        name = asked.name;
        gate = asked.gate;
        ticker = asked.ticker;
        Executor executor = asked.executor == null ? pool() : asked.executor;
        asker = new Asker(asked, executor, asked.alarm == null ? Alarm.on(executor) : asked.alarm);
        line = asker.line();
        registration = gate.whenCapacity(asker::capacity);
    }

    private static Executor pool() {
        return ForkJoinPool.getCommonPoolParallelism() > 1
                ? ForkJoinPool.commonPool()
                : new ForkJoinPool(
                        WORKERS,
                        ForkJoinPool.defaultForkJoinWorkerThreadFactory,
                        null,
                        true,
                        0,
                        WORKERS,
                        1,
                        null,
                        1,
                        TimeUnit.SECONDS);
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
        Ticker ticker = Ticker.system();
        private @Nullable Alarm alarm;
        private @Nullable Executor executor;

        private Builder(String name, Gate gate, QueueSpec spec) {
            this.name = Objects.requireNonNull(name, "name");
            this.gate = Objects.requireNonNull(gate, "gate");
            this.spec = Objects.requireNonNull(spec, "spec");
        }

        /** The clock by which waits are measured; {@link Ticker#system()} unless told. */
        public Builder ticker(Ticker clock) {
            ticker = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** What rings when futures time out or a rate has permits again; the JDK's timer unless told. */
        public Builder alarm(Alarm other) {
            alarm = Objects.requireNonNull(other, "alarm");
            return this;
        }

        /**
         * Where futures are completed and alarms are seen to. Unless told, the common pool or, where that has one thread,
         * a pool of a few that end when idle: as many dependent stages may block there before others are kept waiting for
         * their answers. With {@code Runnable::run} stages run on the thread that let them in.
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

    /** Asks once, without waiting. A fair queue refuses while anybody waits. Does not block. */
    public Decision tryAcquire(Request request) {
        Headroom.toBegin(line.length());
        Decision atOnce = atTheDoor(request, 0);
        return atOnce == null ? asker.lastRefusal() : atOnce;
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Headroom.toBegin(line.length());
        Decision asked = closed ? null : asker.newcomer(request);
        if (asked instanceof Permit) {
            return asked;
        }
        long patience = patience(request, maxWait);
        Rejection turnedAway = turnedAway((Rejection) asked, patience);
        if (turnedAway != null) {
            return turnedAway;
        }
        Waiter waiter = new Waiter(request, ticker.read(), patience, Thread.currentThread(), null);
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
        Headroom.toBegin(line.length());
        long patience = patience(request, maxWait);
        Decision atOnce = atTheDoor(request, patience);
        if (atOnce != null) {
            return CompletableFuture.completedFuture(atOnce);
        }
        Answer answer = new Answer(this);
        Rejection refused = stand(request, patience, answer);
        return refused == null ? answer : CompletableFuture.completedFuture(refused);
    }

    /** Null once the request stands in line, to be answered; it may have been by then. */
    @Nullable
    Rejection stand(Request request, long patience, Answer answer) {
        Waiter waiter = new Waiter(request, ticker.read(), patience, null, answer);
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
        if (waiter.end(asker.lastRefusal())) {
            asker.left(waiter);
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

    /** The answer to who is not made to wait, or null. Whoever asks has seen to the {@link Headroom}. */
    @Nullable
    Decision atTheDoor(Request request, long patience) {
        Decision asked = closed ? null : asker.newcomer(request);
        return asked instanceof Permit ? asked : turnedAway((Rejection) asked, patience);
    }

    private @Nullable Rejection turnedAway(@Nullable Rejection refused, long patience) {
        return closed && patience <= 0 ? asker.refusal(Reason.CANCELLED) : asker.turnedAway(refused, patience);
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
        return refused == null ? null : asker.refusal(refused);
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

    /** Takes back the request of one whose future was ended by its owner. */
    void withdraw(Waiter waiter) {
        Headroom.toGoOn(line.length());
        if (waiter.end(asker.refusal(Reason.CANCELLED))) {
            asker.left(waiter);
        }
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

    /** What the line is like at present. */
    public QueueSpec spec() {
        return asker.spec();
    }

    /**
     * Another line for the same limiter. Those who wait move in order of arrival, and keep their places in time; whom it
     * has no room for is refused {@code QUEUE_FULL}, the newest first. An equal specification changes nothing.
     *
     * @throws IllegalStateException if the queue is closed
     */
    public void reconfigure(QueueSpec next) {
        Objects.requireNonNull(next, "next");
        Headroom.toBegin(line.length());
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
        return line.snapshot(name, now, new Waiter(Request.ONE, now, Long.MAX_VALUE, null, null));
    }

    /** Refuses those who wait, and everybody who comes, as cancelled. Permits that are out stay good. Idempotent. */
    @Override
    public void close() {
        Headroom.toBegin(line.length());
        List<Waiter> ended = new ArrayList<>();
        synchronized (changes) {
            closed = true;
            line.close(ended);
        }
        registration.close();
        asker.answers().give(ended);
    }
}
