package dev.weir.engine;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** How work that threw has ended, unless the owner knows better. */
final class Outcomes {
    private Outcomes() {}

    static Outcome of(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean wrapped = thrown instanceof ExecutionException || thrown instanceof CompletionException;
        Throwable t = wrapped && cause != null ? cause : thrown;
        boolean lostToLoad = t instanceof TimeoutException
                || t instanceof InterruptedIOException
                || t instanceof RejectedExecutionException
                || t instanceof LimitExceededException;
        return lostToLoad ? Outcome.DROPPED : Outcome.IGNORED;
    }
}
