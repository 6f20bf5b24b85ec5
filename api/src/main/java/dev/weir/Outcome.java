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
     * {@link InterruptedIOException}, {@link RejectedExecutionException}, also as the cause of an {@link ExecutionException} or a
     * {@link CompletionException}), otherwise {@link #IGNORED}. Of a {@code LimitExceededException} its reason decides.
     */
    public static Outcome of(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean wrapped = thrown instanceof ExecutionException || thrown instanceof CompletionException;
        Throwable t = wrapped && cause != null ? cause : thrown;
        if (t instanceof Known refused) {
            return refused.outcome();
        }
        boolean droppedByLoad = t instanceof TimeoutException
                || t instanceof InterruptedIOException
                || t instanceof RejectedExecutionException;
        return droppedByLoad ? DROPPED : IGNORED;
    }

    /** A throwable that knows how the work has ended which throws it. */
    interface Known {
        Outcome outcome();
    }
}
