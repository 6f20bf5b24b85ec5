package dev.weir.config.entry;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.config.entry.NamedEntry.InForce;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One request for a name, asked for again if another backend answers the name before it is granted. Thread-safe. */
public final class FollowedRequest extends CompletableFuture<Decision> {
    private final NamedEntry entry;
    private final Request request;
    private final Duration maxWait;
    private final long startedAt;
    private volatile InForce asked;
    /* Written before isDone is read; a canceller completes its future, then reads this: one of the two cancels. */
    private volatile @Nullable CompletableFuture<Decision> answer;
    private boolean isAgain;

    public FollowedRequest(NamedEntry entry, Request request, Duration maxWait) {
        this.entry = entry;
        this.request = request;
        this.maxWait = Objects.requireNonNull(maxWait, "maxWait");
        startedAt = entry.environment().ticker().read();
        asked = entry.inForce();
    }

    /** Blocks until there is a decision. */
    public Decision await() throws InterruptedException {
        while (true) {
            Request counted = next();
            Decision decision =
                    counted == null ? entry.withoutKey(asked) : asked.backend().acquire(counted, left());
            if (!entry.isReplaced(decision, asked)) {
                return decision;
            }
        }
    }

    /** The future of the decision: this one, or that of the backend if it has decided. */
    public CompletableFuture<Decision> ask() {
        CompletableFuture<Decision> first = asked();
        if (first.isDone() && !first.isCompletedExceptionally() && !entry.isReplaced(first.join(), asked)) {
            return first;
        }
        CompletableFuture<Decision> unused = whenComplete((decision, failure) -> cancelAsked());
        follow(first);
        return this;
    }

    private CompletableFuture<Decision> asked() {
        Request counted = next();
        return counted == null
                ? CompletableFuture.completedFuture(entry.withoutKey(asked))
                : asked.backend().acquireAsync(counted, left());
    }

    /* Null if the request lacks the key. */
    private @Nullable Request next() {
        asked = entry.inForce();
        return asked.counted(request);
    }

    private Duration left() {
        if (!isAgain) {
            isAgain = true;
            return maxWait;
        }
        return left(request, maxWait, entry.environment().ticker().read() - startedAt);
    }

    /** The rest of the longest wait of a request, or of its deadline if that is shorter; negative = it has ended. */
    public static Duration left(Request request, Duration maxWait, long waitedNanos) {
        Duration deadline = Duration.ofNanos(request.deadlineNanos());
        Duration most = maxWait.compareTo(deadline) > 0 ? deadline : maxWait;
        return most.isNegative() ? most : most.minusNanos(waitedNanos);
    }

    private void follow(CompletableFuture<Decision> next) {
        answer = next;
        if (isDone()) {
            cancelAsked();
        }
        CompletableFuture<Decision> unused = next.whenComplete(this::answered);
    }

    private void cancelAsked() {
        CompletableFuture<Decision> present = answer;
        if (present != null) {
            present.cancel(false);
        }
    }

    private void answered(@Nullable Decision decision, @Nullable Throwable failure) {
        if (decision == null) {
            completeExceptionally(failure == null ? new NullPointerException("decision") : failure);
            return;
        }
        CompletableFuture<Decision> next;
        try {
            next = isDone() || !entry.isReplaced(decision, asked) ? null : asked();
        } catch (Throwable t) {
            completeExceptionally(t);
            return;
        }
        if (next != null) {
            follow(next);
        } else if (!complete(decision) && decision instanceof Permit permit) {
            // It was cancelled while it was granted.
            permit.release(Outcome.CANCELLED);
        }
    }
}
