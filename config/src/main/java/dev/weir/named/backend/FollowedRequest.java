package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.queue.CallbackQueue;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request for a name, asked for again if another backend answers the name before it is granted: for a thread that blocks, as a
 * future, or as the place of a task in a queue, with a callback. Thread-safe.
 */
public final class FollowedRequest extends CompletableFuture<Decision>
        implements CallbackQueue.Place, Consumer<Decision> {
    /*
     * Who completes this future ends the request: a decision that is final, the caller who cancels or withdraws, a failure. A
     * request that is cancelled while it moves is cancelled again where it moved to, because what was asked is written before
     * isDone is read, and a canceller completes the future before it reads that:
     *
     *     moves to b2                      cancels
     *     refused by b1
     *                                      completes this, cancels at b1: too late
     *     place := that at b2
     *     sees isDone: cancels at b2
     */
    private final NamedEntry entry;
    private final Request request;
    private final Duration maxWait;
    /* Of a task; null = this is a future of somebody. */
    private final @Nullable Consumer<Decision> callback;
    private volatile Answering asked;
    private volatile @Nullable CompletableFuture<Decision> answer;
    private volatile CallbackQueue.@Nullable Place place;
    private long startedAt;
    private long timeout;
    private boolean isAgain;

    public FollowedRequest(NamedEntry entry, Request request, Duration maxWait) {
        this(entry, request, maxWait, null);
    }

    /** The place of a task, whose callback is told where a permit is granted. */
    FollowedRequest(NamedEntry entry, Request request, Consumer<Decision> callback) {
        this(entry, request, Duration.ZERO, callback);
    }

    private FollowedRequest(
            NamedEntry entry, Request request, Duration maxWait, @Nullable Consumer<Decision> callback) {
        this.entry = entry;
        this.request = request;
        this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
        this.callback = callback;
        startedAt = now(entry);
        asked = entry.inForce();
    }

    private static long now(NamedEntry entry) {
        return entry.environment().ticker().read();
    }

    /**
     * Blocks until there is a decision.
     *
     * @param refundable whether {@code CANCELLED} must refund the permit
     */
    public static Decision await(NamedEntry entry, Request request, Duration maxWait, boolean refundable)
            throws InterruptedException {
        boolean waits = !maxWait.isZero() && !maxWait.isNegative();
        long startedAt = waits ? now(entry) : 0;
        Duration left = maxWait;
        while (true) {
            Answering asked = entry.inForce();
            Request counted = asked.counted(request);
            Backend backend = asked.backend();
            Decision decision;
            if (counted == null) {
                decision = entry.withoutKey(asked);
            } else {
                decision = refundable ? backend.acquireRefundable(counted, left) : backend.acquire(counted, left);
            }
            if (!entry.isReplaced(decision, asked)) {
                return decision;
            }
            left = waits ? left(request, maxWait, now(entry) - startedAt) : maxWait;
        }
    }

    /** The future of the decision: this one, or that of the backend if it has decided. */
    public CompletableFuture<Decision> ask() {
        asked = entry.inForce();
        Request counted = asked.counted(request);
        CompletableFuture<Decision> first = counted == null
                ? CompletableFuture.completedFuture(entry.withoutKey(asked))
                : asked.backend().acquireAsync(counted, left());
        if (first.isDone() && !first.isCompletedExceptionally() && !entry.isReplaced(first.join(), asked)) {
            return first;
        }
        CompletableFuture<Decision> unused = whenComplete((decision, failure) -> cancelAsked());
        listen(first);
        return this;
    }

    @Override
    public @Nullable Rejection enter(long timeoutNanos, @Nullable Object requestData) {
        startedAt = now(entry);
        timeout = timeoutNanos;
        return follow(requestData);
    }

    /* Asks where the name is answered now. Null = it waits or has ended. */
    private @Nullable Rejection follow(@Nullable Object requestData) {
        while (true) {
            Answering next = entry.inForce();
            asked = next;
            Rejection refused = follow(next, requestData);
            if (refused == null) {
                return null;
            }
            if (!entry.isReplaced(refused, next)) {
                place = null;
                return refused;
            }
        }
    }

    private @Nullable Rejection follow(Answering where, @Nullable Object requestData) {
        Request counted = where.counted(request);
        if (counted == null) {
            Decision decision = entry.withoutKey(where);
            if (decision instanceof Rejection refused) {
                return refused;
            }
            end(decision);
            return null;
        }
        CallbackQueue line = callback == null ? null : where.backend().line();
        if (line == null) {
            listen(where.backend().acquireAsync(counted, left()));
            return null;
        }
        CallbackQueue.Place next = line.place(counted, this);
        place = next;
        Rejection refused = next.enter(leftNanos(), requestData);
        if (isDone()) {
            next.withdraw();
        }
        return refused;
    }

    private long leftNanos() {
        return timeout == Long.MAX_VALUE ? timeout : Math.max(0, timeout - (now(entry) - startedAt));
    }

    private Duration left() {
        if (callback != null) {
            return Duration.ofNanos(leftNanos());
        }
        if (!isAgain) {
            isAgain = true;
            return maxWait;
        }
        return left(request, maxWait, now(entry) - startedAt);
    }

    /** The rest of the longest wait of a request, or of its deadline if that is shorter; negative = it has ended. */
    static Duration left(Request request, Duration maxWait, long waitedNanos) {
        Duration deadline = Duration.ofNanos(request.deadlineNanos());
        Duration most = maxWait.compareTo(deadline) > 0 ? deadline : maxWait;
        return most.isNegative() ? most : most.minusNanos(waitedNanos);
    }

    private void listen(CompletableFuture<Decision> next) {
        answer = next;
        place = null;
        if (isDone()) {
            cancelAsked();
        }
        CompletableFuture<Decision> unused = next.whenComplete((decision, failure) -> {
            if (decision != null) {
                accept(decision);
            } else {
                fail(failure == null ? new NullPointerException("decision") : failure);
            }
        });
    }

    private void cancelAsked() {
        CallbackQueue.Place waits = place;
        if (waits != null) {
            boolean unused = waits.withdraw();
        }
        CompletableFuture<Decision> present = answer;
        if (present != null) {
            present.cancel(false);
        }
    }

    /** The backend that was asked has decided. */
    @Override
    public void accept(Decision decision) {
        if (isDone() || !entry.isReplaced(decision, asked)) {
            end(decision);
            return;
        }
        try {
            Rejection refused = follow(null);
            if (refused != null) {
                end(refused);
            }
        } catch (Throwable t) {
            fail(t);
        }
    }

    private void fail(Throwable failure) {
        if (callback == null) {
            completeExceptionally(failure);
        } else {
            end(new Rejection(entry.name(), Reason.UNAVAILABLE, 0, 0));
        }
    }

    private void end(Decision decision) {
        if (!complete(decision)) {
            if (decision instanceof Permit permit) {
                // It was cancelled while it was granted.
                permit.release(Outcome.CANCELLED);
            }
        } else if (callback != null) {
            callback.accept(decision);
        }
    }

    @Override
    public boolean withdraw() {
        boolean isAsked = place != null || answer != null;
        if (!isAsked || !complete(new Rejection(entry.name(), Reason.CANCELLED, 0, 0))) {
            return false;
        }
        cancelAsked();
        return true;
    }

    @Override
    public @Nullable Decision decision() {
        return isDone() && !isCompletedExceptionally() ? join() : null;
    }

    /** The task; null if this is none. */
    @Nullable
    Consumer<Decision> callback() {
        return callback;
    }

    /** Where it waits in a queue; null = in none. */
    CallbackQueue.@Nullable Place place() {
        return place;
    }
}
