package dev.weir;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers each request at once with a permit or a rejection. Thread-safe; no method waits for capacity.
 *
 * <p>{@code call} and {@code run} own the bracket around the work: they acquire, run it on the calling thread, return
 * the permit however it ends, and allocate nothing of their own. A refusal goes to the fallback or, without one, is
 * thrown as {@link LimitExceededException}. Work that returns counts as {@link Outcome#SUCCESS}, a time-out or a
 * refusal from below as {@link Outcome#DROPPED}, any other exception as {@link Outcome#IGNORED}; it is rethrown as is.
 */
public interface Limiter {
    /** The name, as it stands in rejections and meters. */
    String name();

    /** Asks. A request for more than could ever be granted is refused as {@code NEVER}. */
    Decision tryAcquire(Request request);

    /** Asks for one permit. */
    default Decision tryAcquire() {
        return tryAcquire(Request.ONE);
    }

    /**
     * Asks for so many permits.
     *
     * @throws IllegalArgumentException if {@code permits < 1}
     */
    default Decision tryAcquire(long permits) {
        return tryAcquire(Request.of(permits));
    }

    /** Runs the work under a permit, or gives the fallback's answer to the refusal. */
    <T> T call(Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback)
            throws Exception;

    /** Runs the work under a permit, or the fallback on a refusal. */
    void run(Request request, Runnable work, Consumer<? super Rejection> fallback);

    /**
     * Starts the stage under a permit, and releases the permit when the stage has completed. Does not wait for a permit.
     * In all else as {@link AsyncLimiter#callAsync}.
     *
     * @return completed as the stage was, after the permit was released; a refusal is a {@link LimitExceededException}
     */
    default <T> CompletableFuture<T> callAsync(Request request, Supplier<? extends CompletionStage<T>> work) {
        Objects.requireNonNull(work, "work");
        return AsyncCall.of(tryAcquire(request), work);
    }

    /** Runs the work under one permit; throws on a refusal. */
    default <T> T call(Callable<T> work) throws Exception {
        return call(Request.ONE, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** Runs the work under one permit, or gives the fallback's answer to the refusal. */
    default <T> T call(Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback) throws Exception {
        return call(Request.ONE, work, fallback);
    }

    /** Runs the work under one permit; throws on a refusal. */
    default void run(Runnable work) {
        run(Request.ONE, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** Runs the work under one permit, or the fallback on a refusal. */
    default void run(Runnable work, Consumer<? super Rejection> fallback) {
        run(Request.ONE, work, fallback);
    }
}
