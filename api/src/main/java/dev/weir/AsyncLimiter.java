package dev.weir;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Answers a request in time: a limiter that may have to wait, for capacity or for another machine. Thread-safe. */
public interface AsyncLimiter {
    /**
     * Asks, and is answered within {@code maxWait}. Cancelling the future takes the request back; a permit granted in
     * the same moment returns by itself.
     *
     * @param maxWait zero or negative asks once
     */
    CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait);

    /**
     * As {@link #acquireAsync}, blocking the calling thread.
     *
     * @throws InterruptedException if the thread is interrupted; nothing is held then
     */
    Decision acquire(Request request, Duration maxWait) throws InterruptedException;
}
