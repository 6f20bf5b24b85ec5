package dev.weir;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An admission check: it answers each request with a permit or a rejection. Thread-safe.
 *
 * <p>{@code tryAcquire} does not wait for permits. {@code acquire}, {@code call}, {@code run} and {@code callAsync} wait for
 * as long as the settings of the limit say, {@link #maxWait}: most limits have no queue, and refuse at once.
 *
 * <p>{@code call} and {@code run} acquire a permit, run the work on the calling thread, and release the permit however the
 * work ends. If the request is refused the fallback is called, or without one a {@link LimitExceededException} is thrown. The
 * outcome is {@link Outcome#SUCCESS} if the work returns. If it throws, the classifier of the limiter gives the outcome, by
 * default {@link Outcome#of}, and the exception is thrown to the caller. If the calling thread is interrupted while it waits
 * for a permit, the request is refused as {@code CANCELLED}, and the thread stays interrupted.
 */
public interface Limiter {
    /** The name, as it appears in rejections and metrics. */
    String name();

    /**
     * A request for one permit with the key that the limit counts by now: the values of its dimensions, such as {@code user} and
     * {@code ip}. By default the limit knows no dimensions, and the request has no key.
     *
     * @param dimensions gives the value of a dimension; null or empty = it has none
     */
    default Request request(Function<String, @Nullable String> dimensions) {
        return Request.ONE;
    }

    /** The wait of a request that does not say its own; zero = none, which is the default. */
    default Duration maxWait() {
        return Duration.ZERO;
    }

    /**
     * The limit, what is left of it, its window and its reset for this request. Spends nothing and does not block. By default
     * not known.
     *
     * @return null if the limit has no such figures, the request lacks the key, or the figures are not known here
     */
    default Permit.@Nullable Quota quota(Request request) {
        return null;
    }

    /**
     * Tries to acquire the permits that the request asks for, all of them or none. Does not wait for permits. A request for more
     * than the limit can ever grant is refused as {@link Rejection.Reason#NEVER}.
     *
     * @return a {@link Permit}, to be released when the work has ended, or a {@link Rejection}
     */
    Decision tryAcquire(Request request);

    /** Tries to acquire one permit. Does not wait for permits. */
    default Decision tryAcquire() {
        return tryAcquire(Request.ONE);
    }

    /**
     * Tries to acquire permits, all of them or none. Does not wait for permits.
     *
     * @throws IllegalArgumentException if {@code permits < 1}
     */
    default Decision tryAcquire(long permits) {
        return tryAcquire(Request.of(permits));
    }

    /**
     * Acquires a permit, and blocks for at most {@link #maxWait}.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; no permit is held then
     */
    default Decision acquire(Request request) throws InterruptedException {
        return tryAcquire(request);
    }

    /**
     * Spends the {@linkplain Request#cost cost} of the request, or its permits if it has none, at each limit by cost, and never
     * refuses: for what was used without a permit, or beyond one. It may take a limit below zero, which then refuses until
     * that has refilled. Does not block. By default there is no limit by cost.
     *
     * @return whether there is a limit by cost; false = nothing was spent
     */
    default boolean charge(Request request) {
        return false;
    }

    /**
     * Refuses requests, as {@link Rejection.Reason#SUSPENDED}, or lets those wait that wait for permits, until this time has
     * passed: for what stands behind the limit has asked for that. Of two suspensions the one that ends later counts. It ends
     * by itself, and permits that are held stay valid. Does not block.
     *
     * @param time from now on, at most 73 years are counted; zero or negative = does nothing
     * @param why a few words for logs and meters
     * @return whether requests are suspended for longer than before
     * @throws UnsupportedOperationException if this limiter cannot, which is the default
     */
    default boolean suspendFor(Duration time, String why) {
        throw new UnsupportedOperationException("limiter " + name() + " cannot be suspended");
    }

    /**
     * As {@link #suspendFor}, until an instant. How long that is, is read once from the clock of the system; later changes of that clock
     * have no effect.
     */
    default boolean suspendUntil(Instant until, String why) {
        return suspendFor(Duration.between(InstantSource.system().instant(), until), why);
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
     * Acquires a permit, starts the work, and releases the permit when the stage of the work has completed. Does not block.
     * Otherwise the same as {@link AsyncLimiter#callAsync}.
     *
     * @return completed like the stage, after the permit was released, or with a {@link LimitExceededException} if the
     *     request is refused
     */
    default <T> CompletableFuture<T> callAsync(Request request, Supplier<? extends CompletionStage<T>> work) {
        Objects.requireNonNull(work, "work");
        return AsyncCall.of(tryAcquire(request), work);
    }

    /**
     * Acquires a permit and calls the work.
     *
     * @throws LimitExceededException if the request is refused
     * @throws Exception what the work throws
     */
    default <T> T call(Request request, Callable<? extends T> work) throws Exception {
        return call(request, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** As {@link #call(Request, Callable)}, for one permit. */
    default <T> T call(Callable<? extends T> work) throws Exception {
        return call(Request.ONE, work);
    }

    /** As {@link #call(Request, Callable, Function)}, for one permit. */
    default <T> T call(Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback) throws Exception {
        return call(Request.ONE, work, fallback);
    }

    /**
     * Acquires a permit and runs the work.
     *
     * @throws LimitExceededException if the request is refused
     */
    default void run(Request request, Runnable work) {
        run(request, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** As {@link #run(Request, Runnable)}, for one permit. */
    default void run(Runnable work) {
        run(Request.ONE, work);
    }

    /** As {@link #run(Request, Runnable, Consumer)}, for one permit. */
    default void run(Runnable work, Consumer<? super Rejection> fallback) {
        run(Request.ONE, work, fallback);
    }
}
