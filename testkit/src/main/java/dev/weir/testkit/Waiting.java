package dev.weir.testkit;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait in a queue in front of the limiter. What is granted while another step is taken, such as a release
 * or a change, is counted at that instant. None waits while the concurrency limits in force have room for the first.
 */
final class Waiting {
    private record Waiter(Request request, long until) {}

    private final Execution execution;
    private final AsyncLimiter queue;
    private final List<Waiter> waiters = new ArrayList<>();
    private @Nullable Throwable found;

    Waiting(Execution execution, AsyncLimiter queue) {
        this.execution = execution;
        this.queue = queue;
    }

    /** Asks once. */
    Decision ask(Request request) {
        Decision decision = queue.acquireAsync(request, Duration.ZERO).join();
        execution.log().addAnswer(decision);
        if (decision instanceof Permit permit) {
            execution.grantedByQueue(request, permit);
        } else if (waiters.isEmpty()) {
            execution.refused(request, (Rejection) decision);
        }
        return decision;
    }

    /** Asks, and waits for this many nanoseconds at most. */
    void enqueue(Request request, long maxWait) {
        CompletableFuture<Decision> answer = queue.acquireAsync(request, Duration.ofNanos(maxWait));
        Waiter waiter = new Waiter(request, execution.now() + maxWait);
        waiters.add(waiter);
        CompletableFuture<Void> unused = answer.thenAccept(decision -> {
            try {
                waiters.remove(waiter);
                answered(waiter, decision);
            } catch (Throwable t) {
                found = found == null ? t : found;
            }
        });
    }

    private void answered(Waiter waiter, Decision decision) {
        execution.catchUp();
        execution.log().add(() -> " [" + waiter.request + " that waited -> " + ExecutionLog.text(decision) + "]");
        if (decision instanceof Permit permit) {
            execution.grantedByQueue(waiter.request, permit);
            return;
        }
        Rejection rejection = (Rejection) decision;
        switch (rejection.reason()) {
            case NEVER, KEY_MISSING -> execution.refused(waiter.request, rejection);
            case QUEUE_FULL -> {}
            default -> {
                long left = waiter.until - execution.now();
                if (left > 0 && rejection.retryAfterNanos() <= left) {
                    throw new Violation("refused " + left + " before its time as " + ExecutionLog.text(decision));
                }
            }
        }
    }

    /** Throws what was found since the last check, or that a request waits although there is room. */
    void check() {
        if (found instanceof Error error) {
            throw error;
        }
        if (found != null) {
            throw new IllegalStateException(found);
        }
        if (!waiters.isEmpty() && execution.model().hasRoom(waiters.get(0).request)) {
            throw new Violation("a request waits although there is room: " + waiters.get(0).request);
        }
    }
}
