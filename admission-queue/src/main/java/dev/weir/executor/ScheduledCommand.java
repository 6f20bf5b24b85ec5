package dev.weir.executor;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.queue.AdmissionQueue;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture.AsynchronousCompletionTask;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A command of a scheduled executor's {@code execute}: no caller has its scheduled future. */
final class ScheduledCommand implements Callable<@Nullable Void> {
    private final Runnable work;
    private final AdmissionQueue queue;
    private final Request request;
    private final Duration maxWait;

    ScheduledCommand(Runnable work, AdmissionQueue queue, Request request, Duration maxWait) {
        this.work = work;
        this.queue = queue;
        this.request = request;
        this.maxWait = maxWait;
    }

    /** Runs the work and releases the permit. */
    static <V> V runUnder(Permit permit, Callable<V> work) throws Exception {
        try {
            V result = work.call();
            permit.release(Outcome.SUCCESS);
            return result;
        } catch (Throwable t) {
            permit.release(Outcome.of(t));
            throw t;
        }
    }

    @Override
    public @Nullable Void call() throws Exception {
        Decision decision = acquire();
        if (decision instanceof Permit permit) {
            runUnder(permit, Executors.callable(work));
        } else if (hasFuture()) {
            ((Future<?>) work).cancel(false);
        } else {
            report(RejectedTask.exception((Rejection) decision));
        }
        return null;
    }

    private boolean hasFuture() {
        return work instanceof Future<?> && !(work instanceof AsynchronousCompletionTask);
    }

    /* A command that cannot report a rejection waits without a timeout, also for room in the queue. */
    private Decision acquire() {
        try {
            if (hasFuture()) {
                return queue.acquire(request, maxWait);
            }
            BlockingAcquire blocking =
                    new BlockingAcquire(queue.callbacks(), request, Duration.ofNanos(Long.MAX_VALUE));
            Decision decision = blocking.acquire();
            if (decision instanceof Rejection refused) {
                queue.callbacks().countRejection(request, refused, blocking.place());
            }
            return decision;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Rejection(queue.name(), Reason.CANCELLED, 0, 0);
        }
    }

    private static void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
    }
}
