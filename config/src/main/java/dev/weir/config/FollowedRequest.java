package dev.weir.config;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The future of a request that is asked for again if its limiter is replaced while it waits. Thread-safe. */
final class FollowedRequest extends CompletableFuture<Decision> {
    private final Attempts attempts;
    /* Written before isDone is read; a canceller completes its future, then reads this: one of the two cancels. */
    private volatile @Nullable CompletableFuture<Decision> asked;

    /** The requests to the limiters that are in force, one after the other. */
    interface Attempts {
        /**
         * Asks the limiter in force now, unless the one that gave this answer still is.
         *
         * @return null if the answer is final
         */
        @Nullable
        CompletableFuture<Decision> after(Decision answer);
    }

    private FollowedRequest(Attempts attempts) {
        this.attempts = attempts;
    }

    /** A request that has been asked for. */
    static CompletableFuture<Decision> of(CompletableFuture<Decision> first, Attempts attempts) {
        FollowedRequest request = new FollowedRequest(attempts);
        CompletableFuture<Decision> unused = request.whenComplete((decision, failure) -> request.cancelAsked());
        request.follow(first);
        return request;
    }

    private void follow(CompletableFuture<Decision> answer) {
        asked = answer;
        if (isDone()) {
            cancelAsked();
        }
        CompletableFuture<Decision> unused = answer.whenComplete(this::answered);
    }

    private void cancelAsked() {
        CompletableFuture<Decision> present = asked;
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
            next = isDone() ? null : attempts.after(decision);
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
