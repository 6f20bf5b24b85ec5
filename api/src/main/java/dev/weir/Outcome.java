package dev.weir;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** The result of the work under a permit. */
public enum Outcome {
    /** The work succeeded. Controllers use its duration. */
    SUCCESS,
    /** The work failed because of load: it timed out, or the service that it called refused it. */
    DROPPED,
    /** The work ended in a way that says nothing about load. Controllers do not use its duration. */
    IGNORED,
    /**
     * The work never started. What the permit spent at a rate is refunded if it was granted through a queue, or by several
     * limits of which at least one is a concurrency limit. The permit of a rate limit alone refunds nothing.
     */
    CANCELLED;

    /**
     * The outcome of work that threw an exception: {@link #DROPPED} for a time-out or a rejection ({@link TimeoutException},
     * {@link InterruptedIOException}, {@link RejectedExecutionException}), otherwise {@link #IGNORED}. Of a {@link
     * LimitExceededException} the reason decides: it is {@code DROPPED} if what refused had too much to do or could not decide
     * ({@code CONCURRENCY}, {@code QUEUE_FULL}, {@code TIMED_OUT}, {@code SHED}, {@code UNAVAILABLE}), and {@code IGNORED} if
     * the client had used up its quota or asked for what it can never get ({@code RATE}, {@code NEVER}, {@code KEY_MISSING}),
     * or if the request was {@code CANCELLED}: that says nothing about load. The cause of an {@link ExecutionException} or a
     * {@link CompletionException} is looked at instead of it.
     */
    public static Outcome of(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean wrapped = thrown instanceof ExecutionException || thrown instanceof CompletionException;
        Throwable t = wrapped && cause != null ? cause : thrown;
        // Another JVM may have thrown it: its rejection is not serialized.
        if (t instanceof LimitExceededException refused && refused.rejection() != null) {
            return of(refused.rejection().reason());
        }
        boolean droppedByLoad = t instanceof TimeoutException
                || t instanceof InterruptedIOException
                || t instanceof RejectedExecutionException;
        return droppedByLoad ? DROPPED : IGNORED;
    }

    private static Outcome of(Rejection.Reason reason) {
        return switch (reason) {
            case CONCURRENCY, QUEUE_FULL, TIMED_OUT, SHED, UNAVAILABLE -> DROPPED;
            case RATE, NEVER, KEY_MISSING, CANCELLED -> IGNORED;
        };
    }
}
