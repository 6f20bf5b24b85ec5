package dev.weir;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A limiter that may wait before it answers: for free permits, or for another machine. Thread-safe.
 *
 * <p>{@code call}, {@code run} and {@code callAsync} acquire a permit, do the work, and release the permit however the work
 * ends: as {@link Outcome#SUCCESS} if it succeeds, otherwise by {@link Permit#releaseAfter}. Prefer them to {@code acquire}.
 */
public interface AsyncLimiter {
    /**
     * Acquires a permit without blocking; the future completes within {@code maxWait}. Cancelling or completing
     * <em>this</em> future, by any of its methods, cancels the request: it leaves the queue, and a permit that is granted at
     * the same moment is released. {@code completeAsync} and {@code orTimeout} do so when they complete it. A stage or a
     * {@code copy()} cancels nothing. A permit that the future has already is not released by {@code obtrudeValue}.
     *
     * <p>A permit is lost if it is granted and no code releases it. That happens if a <em>dependent</em> future is
     * cancelled: after {@code f = acquireAsync(..).thenCompose(work)}, {@code f.cancel(true)} does not reach
     * the request; it goes on waiting, is granted a permit, and {@code work} does not run to release it. Write
     * {@code callAsync(request, maxWait, work)} instead, which returns a future that may be cancelled at any time. Where
     * an event ends the work and not a stage, write {@link Lease#of Lease.of(acquireAsync(request, maxWait))}.
     *
     * @param maxWait how long to wait; if zero or negative, the request is tried once
     */
    CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait);

    /**
     * Acquires a permit, and blocks the calling thread until there is an answer.
     *
     * @param maxWait how long to wait; if zero or negative, the request is tried once
     * @throws InterruptedException if the thread is interrupted; no permit is held then
     */
    Decision acquire(Request request, Duration maxWait) throws InterruptedException;

    /**
     * Acquires a permit, starts the stage, and releases the permit when the stage has completed. Does not block.
     *
     * <p>The work is started on the calling thread if the permit is granted at once, else where futures of this limiter
     * are completed. It should return its stage quickly. If it throws or returns null, the future fails with that and the
     * permit is released.
     *
     * <p>Cancelling or completing the returned future before the permit is granted cancels the request, and the work
     * is never started: what was spent for it is refunded. Later it cancels the stage's {@link
     * CompletionStage#toCompletableFuture() future}; the permit is held until the stage has completed, however long that takes.
     * A {@code CompletableFuture} completes as soon as it is cancelled: if its work goes on, that work is no longer counted.
     *
     * @param maxWait how long to wait for the permit; if zero or negative, the request is tried once
     * @return completed like the stage, after the permit was released, or with a {@link LimitExceededException} if the
     *     request is refused
     */
    default <T> CompletableFuture<T> callAsync(
            Request request, Duration maxWait, Supplier<? extends CompletionStage<T>> work) {
        Objects.requireNonNull(work, "work");
        return AsyncCall.of(acquireAsync(request.refundable(), maxWait), work);
    }

    /**
     * Acquires a permit, waiting for it if needed, and runs the work on the calling thread.
     *
     * @param maxWait how long to wait for the permit; if zero or negative, the request is tried once
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
     * Acquires a permit, waiting for it if needed, and runs the work on the calling thread.
     *
     * @param maxWait how long to wait for the permit; if zero or negative, the request is tried once
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
