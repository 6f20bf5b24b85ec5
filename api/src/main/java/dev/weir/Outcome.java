package dev.weir;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** How the work under a permit ended. */
public enum Outcome {
    /** The work was done; its duration is evidence of health. */
    SUCCESS,
    /** The work was lost to load: it timed out or was refused from below. */
    DROPPED,
    /** The work ended in a way that says nothing about load; its duration is not evidence. */
    IGNORED,
    /**
     * The work never started: what the permit held is released, and what it spent at a rate is given back if the permit
     * was granted through a queue, or by limits of which one holds. The permit of a rate alone gives nothing back.
     */
    CANCELLED;

    /**
     * How work that threw has ended, unless the owner knows better: a time-out or a refusal from below is
     * {@link #DROPPED}, anything else {@link #IGNORED}.
     */
    public static Outcome of(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean wrapped = thrown instanceof ExecutionException || thrown instanceof CompletionException;
        Throwable t = wrapped && cause != null ? cause : thrown;
        boolean lostToLoad = t instanceof TimeoutException
                || t instanceof InterruptedIOException
                || t instanceof RejectedExecutionException
                || t instanceof LimitExceededException;
        return lostToLoad ? DROPPED : IGNORED;
    }
}
