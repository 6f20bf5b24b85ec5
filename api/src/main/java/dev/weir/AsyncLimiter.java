package dev.weir;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Answers a request in time: a limiter that may have to wait, for capacity or for another machine. Thread-safe.
 *
 * <p>{@code call}, {@code run} and {@code callAsync} acquire, do the work and release the permit however the work ends:
 * as {@link Outcome#SUCCESS} if it succeeds, else as {@link Permit#releaseAfter} says. Prefer them to acquiring by hand.
 */
public interface AsyncLimiter {
    /**
     * Asks, and completes the future within {@code maxWait}. Cancelling or completing <em>this</em> future takes the
     * request back: a waiting one leaves the queue, and a permit granted in the same moment is released by itself.
     *
     * <p>A permit is lost when it is granted and nobody is left to release it. That happens when a <em>dependent</em>
     * future is cancelled: after {@code f = acquireAsync(..).thenCompose(work)}, {@code f.cancel(true)} does not reach
     * the request; it goes on waiting, is granted a permit, and {@code work} does not run to release it. Write
     * {@code callAsync(request, maxWait, work)} instead, which returns a future that may be cancelled at any time. Where
     * the permit itself must be passed on, keep this future, cancel this one, and release in {@code whenComplete}.
     *
     * @param maxWait zero or negative asks once, without waiting
     */
    CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait);

    /**
     * As {@link #acquireAsync}, blocking the calling thread.
     *
     * @throws InterruptedException if the thread is interrupted; no permit is held then
     */
    Decision acquire(Request request, Duration maxWait) throws InterruptedException;

    /**
     * Acquires a permit, starts the stage, and releases the permit when the stage has completed. Does not block.
     *
     * <p>The work is started on the calling thread if the permit is granted at once, else where futures of this limiter
     * are completed; it should return its stage soon. If it throws or returns null, the future fails with that and the
     * permit is released.
     *
     * <p>Cancelling or completing the returned future before the permit is granted takes the request back, and the work
     * is never started. Later it cancels the stage's {@link CompletionStage#toCompletableFuture() future}; the permit is
     * held until the stage has completed, however long it takes to notice. A {@code CompletableFuture} completes as soon
     * as it is cancelled: if its work goes on, that work is no longer counted.
     *
     * @param maxWait how long to wait for the permit; zero or negative asks once, without waiting
     * @return completed as the stage was, after the permit was released; a refusal is a {@link LimitExceededException}
     */
    default <T> CompletableFuture<T> callAsync(
            Request request, Duration maxWait, Supplier<? extends CompletionStage<T>> work) {
        Objects.requireNonNull(work, "work");
        return AsyncCall.of(acquireAsync(request, maxWait), work);
    }

    /**
     * Waits for a permit and runs the work under it, on the calling thread.
     *
     * @param maxWait how long to wait for the permit; zero or negative asks once, without waiting
     * @throws LimitExceededException if no permit was granted in time
     * @throws InterruptedException if the thread is interrupted while it waits; the work was not started then
     * @throws Exception what the work throws
     */
    default <T> T call(Request request, Duration maxWait, Callable<? extends T> work) throws Exception {
        Permit permit = permit(acquire(request, maxWait));
        T result;
        try {
            result = work.call();
        } catch (Throwable t) {
            permit.releaseAfter(t);
            throw t;
        }
        permit.release(Outcome.SUCCESS);
        return result;
    }

    /**
     * Waits for a permit and runs the work under it, on the calling thread.
     *
     * @param maxWait how long to wait for the permit; zero or negative asks once, without waiting
     * @throws LimitExceededException if no permit was granted in time
     * @throws InterruptedException if the thread is interrupted while it waits; the work was not started then
     */
    default void run(Request request, Duration maxWait, Runnable work) throws InterruptedException {
        Permit permit = permit(acquire(request, maxWait));
        try {
            work.run();
        } catch (Throwable t) {
            permit.releaseAfter(t);
            throw t;
        }
        permit.release(Outcome.SUCCESS);
    }

    private static Permit permit(Decision decision) {
        if (decision instanceof Rejection rejection) {
            throw new LimitExceededException(rejection);
        }
        return (Permit) decision;
    }
}
