package dev.weir;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An admission check that never waits: it answers each request at once with a permit or a rejection. Thread-safe; no
 * method waits for free permits.
 *
 * <p>{@code call} and {@code run} acquire a permit, run the work on the calling thread, and release the permit however the
 * work ends. They allocate nothing. If the request is refused the fallback is called, or without one a {@link
 * LimitExceededException} is thrown. The outcome is {@link Outcome#SUCCESS} if the work returns. If it throws, the
 * classifier of the limiter gives the outcome, by default {@link Outcome#of}, and the exception is thrown to the caller.
 */
public interface Limiter {
    /** The name, as it appears in rejections and metrics. */
    String name();

    /**
     * Tries to acquire the permits that the request asks for, all of them or none. Does not wait. A request for more than
     * the limit can ever grant is refused as {@link Rejection.Reason#NEVER}.
     *
     * @return a {@link Permit}, to be released when the work has ended, or a {@link Rejection}
     */
    Decision tryAcquire(Request request);

    /** Tries to acquire one permit. Does not wait. */
    default Decision tryAcquire() {
        return tryAcquire(Request.ONE);
    }

    /**
     * Tries to acquire permits, all of them or none. Does not wait.
     *
     * @throws IllegalArgumentException if {@code permits < 1}
     */
    default Decision tryAcquire(long permits) {
        return tryAcquire(Request.of(permits));
    }

    /**
     * Acquires a permit and calls the work, or calls the fallback if the request is refused.
     *
     * @return the result of the work or of the fallback
     * @throws Exception what the work throws
     */
    <T> T call(Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback)
            throws Exception;

    /** Acquires a permit and runs the work, or calls the fallback if the request is refused. */
    void run(Request request, Runnable work, Consumer<? super Rejection> fallback);

    /**
     * Acquires a permit, starts the work, and releases the permit when the stage of the work has completed. Does not wait
     * for a permit. Otherwise the same as {@link AsyncLimiter#callAsync}.
     *
     * @return completed like the stage, after the permit was released, or with a {@link LimitExceededException} if the
     *     request is refused
     */
    default <T> CompletableFuture<T> callAsync(Request request, Supplier<? extends CompletionStage<T>> work) {
        Objects.requireNonNull(work, "work");
        return AsyncCall.of(tryAcquire(request), work);
    }

    /**
     * Acquires one permit and calls the work.
     *
     * @throws LimitExceededException if the request is refused
     * @throws Exception what the work throws
     */
    default <T> T call(Callable<T> work) throws Exception {
        return call(Request.ONE, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /**
     * Acquires one permit and calls the work, or calls the fallback if the request is refused.
     *
     * @return the result of the work or of the fallback
     * @throws Exception what the work throws
     */
    default <T> T call(Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback) throws Exception {
        return call(Request.ONE, work, fallback);
    }

    /**
     * Acquires one permit and runs the work.
     *
     * @throws LimitExceededException if the request is refused
     */
    default void run(Runnable work) {
        run(Request.ONE, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** Acquires one permit and runs the work, or calls the fallback if the request is refused. */
    default void run(Runnable work, Consumer<? super Rejection> fallback) {
        run(Request.ONE, work, fallback);
    }
}
