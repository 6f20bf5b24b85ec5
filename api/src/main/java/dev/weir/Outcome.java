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
     * The work never started. What a concurrency limit holds is free again, as with any outcome. What was spent at a rate is refunded
     * only if the request asked for that: the permit of a {@linkplain Request#refundable refundable} request refunds, once, what
     * has not refilled since; that of another request refunds nothing. This does not depend on what stands before or beside the
     * rate: a queue, an all-of, a limit by key, a store. Where a store has not counted the permit, there is nothing to refund.
     *
     * <p>A permit that no caller has received is undone without being asked, and everything is refunded: the request was
     * cancelled or had timed out when it was granted, another of several limits refused it, its task was cancelled before it
     * began. Observers are told of that as {@code CANCELLED}, too.
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
