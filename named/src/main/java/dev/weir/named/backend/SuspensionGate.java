package dev.weir.named.backend;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Open;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.internal.Undoable;
import dev.weir.named.status.ConfigEvent;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The suspension of a name, whatever answers it. What a store counts is asked for here first: by a limiter that grants everything
 * when it is not suspended, with a queue. Thread-safe.
 */
final class SuspensionGate {
    private static final int CAPACITY = 10_000;

    private static final long SECOND = 1_000_000_000;

    private final String name;
    private final Environment environment;
    /* Null until the name is first suspended. */
    private volatile @Nullable Made made;

    @GuardedBy("this")
    private @Nullable Told told;

    @GuardedBy("this")
    private boolean isClosed;

    private record Made(ManagedLimiter limiter, AdmissionQueue queue) {}

    /** The last event: when it was told, and until when it says that the name is suspended. */
    private record Told(long at, long until) {}

    SuspensionGate(String name, Environment environment) {
        this.name = name;
        this.environment = environment;
    }

    boolean suspendFor(Duration time, String why) {
        boolean isLonger =
                !time.isZero() && !time.isNegative() && made().limiter.suspendFor(time, why);
        if (isLonger && isToBeTold()) {
            environment.events().tell(new ConfigEvent.Suspended("code", name, time, why));
        }
        return isLonger;
    }

    private Made made() {
        Made present = made;
        return present == null ? make() : present;
    }

    private synchronized Made make() {
        Made present = made;
        if (present == null) {
            ManagedLimiter limiter = environment.limiter(name, new Open());
            present = new Made(
                    limiter,
                    AdmissionQueue.builder(name, limiter, QueueSpec.of(CAPACITY))
                            .ticker(environment.ticker())
                            .alarm(environment.alarm())
                            .build());
            made = present;
            if (isClosed) {
                close();
            }
        }
        return present;
    }

    /* Not each of a million: one in a second, and one that at least doubles the time that the last one has told. */
    private synchronized boolean isToBeTold() {
        long now = environment.ticker().read();
        long left = leftNanos();
        Told last = told;
        boolean isNew = last == null || now - last.at >= SECOND || left / 2 >= last.until - now;
        told = isNew ? new Told(now, now + left) : last;
        return isNew;
    }

    /** For how many nanoseconds the name is still suspended; 0 = it is not. */
    long leftNanos() {
        Made present = made;
        return present == null ? 0 : present.limiter.snapshot().suspendedNanos();
    }

    @Nullable
    String why() {
        Made present = made;
        return present == null ? null : present.limiter.snapshot().suspendedBy();
    }

    /** Suspends a limiter that has just come as this is. One that is suspended itself at the same time may be told twice. */
    void suspend(ManagedLimiter limiter) {
        Made present = made;
        Snapshot state = present == null ? null : present.limiter.snapshot();
        String why = state == null ? null : state.suspendedBy();
        if (state != null && why != null) {
            boolean unused = limiter.suspendFor(Duration.ofNanos(state.suspendedNanos()), why);
        }
    }

    /** Asks this, then the other one. */
    Decision acquire(AsyncLimiter then, Request request, Duration maxWait) throws InterruptedException {
        Made present = made;
        if (present == null) {
            return then.acquire(request, maxWait);
        }
        long startedAt = environment.ticker().read();
        Decision passed = present.queue.acquire(request, maxWait);
        if (passed instanceof Rejection refused) {
            return own(refused);
        }
        release(passed);
        return then.acquire(request, leftSince(request, maxWait, startedAt));
    }

    /** As {@link #acquire}; to cancel the future cancels the request where it waits. */
    CompletableFuture<Decision> acquireAsync(AsyncLimiter then, Request request, Duration maxWait) {
        Made present = made;
        if (present == null) {
            return then.acquireAsync(request, maxWait);
        }
        long startedAt = environment.ticker().read();
        CompletableFuture<Decision> first = present.queue.acquireAsync(request, maxWait);
        if (!first.isDone()) {
            return new Passing(then, request, maxWait, startedAt, first);
        }
        Decision passed = first.join();
        if (passed instanceof Rejection refused) {
            return CompletableFuture.completedFuture(own(refused));
        }
        release(passed);
        return then.acquireAsync(request, maxWait);
    }

    private Rejection own(Rejection refused) {
        return new Rejection(name, refused.reason(), refused.retryAfterNanos(), 0);
    }

    private static void release(Decision passed) {
        if (passed instanceof Permit permit) {
            boolean unused = permit.release(Outcome.IGNORED);
        }
    }

    private Duration leftSince(Request request, Duration maxWait, long startedAt) {
        return left(request, maxWait, environment.ticker().read() - startedAt);
    }

    /** The rest of the longest wait of a request, or of its deadline if that is shorter; negative = it has ended. */
    static Duration left(Request request, Duration maxWait, long waitedNanos) {
        Duration deadline = Duration.ofNanos(request.deadlineNanos());
        Duration most = maxWait.compareTo(deadline) > 0 ? deadline : maxWait;
        return most.isNegative() ? most : most.minusNanos(waitedNanos);
    }

    /** Refuses those who wait; the name is not answered any more. */
    synchronized void close() {
        isClosed = true;
        Made present = made;
        if (present != null) {
            present.queue.close();
            present.limiter.close();
        }
    }

    /** A request that waits for the end of the suspension, and then is asked for. */
    private final class Passing extends CompletableFuture<Decision> {
        private final AsyncLimiter then;
        private final Request request;
        private final Duration maxWait;
        private final long startedAt;
        /* Written before isDone is read; who ends this future does so, then reads it: one of the two cancels. */
        private volatile CompletableFuture<Decision> asked;

        Passing(
                AsyncLimiter then,
                Request request,
                Duration maxWait,
                long startedAt,
                CompletableFuture<Decision> waiting) {
            this.then = then;
            this.request = request;
            this.maxWait = maxWait;
            this.startedAt = startedAt;
            asked = waiting;
            CompletableFuture<Decision> unused = whenComplete((decision, failure) -> asked.cancel(false));
            CompletableFuture<Decision> unusedToo = waiting.whenComplete(this::passed);
        }

        private void passed(@Nullable Decision decision, @Nullable Throwable failure) {
            if (!(decision instanceof Permit permit)) {
                end(decision instanceof Rejection refused ? own(refused) : decision, failure);
                return;
            }
            release(permit);
            CompletableFuture<Decision> next;
            try {
                next = then.acquireAsync(request, leftSince(request, maxWait, startedAt));
            } catch (Throwable t) {
                next = CompletableFuture.failedFuture(t);
            }
            asked = next;
            if (isDone()) {
                next.cancel(false);
            }
            CompletableFuture<Decision> unused = next.whenComplete(this::end);
        }

        private void end(@Nullable Decision decision, @Nullable Throwable failure) {
            if (decision == null) {
                completeExceptionally(failure == null ? new NullPointerException("decision") : failure);
            } else if (!complete(decision) && decision instanceof Permit permit) {
                Undoable.undo(permit);
            }
        }
    }
}
