package dev.weir.config;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.config.entry.FollowedRequest;
import dev.weir.config.entry.KeyRule;
import dev.weir.config.entry.LocalLimit;
import dev.weir.config.entry.NamedEntry;
import dev.weir.config.status.LimitStatus;
import dev.weir.engine.Counts;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one name of a {@link LimiterRegistry}: the same object as long as the registry lives, whatever its documents say.
 * The limit may be counted in this process or by a store, with or without a queue, by key or not, adaptive or not, and any of
 * these may change while requests come and wait. Thread-safe.
 *
 * <p>A method without a {@code maxWait} waits for the {@code max-wait} of the queue that the document gives the name; without a
 * queue it refuses at once. A request that waits during a change is asked for again, for the rest of its time, where the name is
 * answered next. While the name is removed, and after the registry was closed, requests are refused as {@code CANCELLED}.
 *
 * <p>A request without the key that the limit counts by, or with one of another shape, is refused as {@code KEY_MISSING}, unless
 * the document says {@code key-missing: share} or {@code skip}. {@link #request} makes the key.
 *
 * <p>{@code call} and {@code run} release the permit however the work ends. If the calling thread is interrupted while it waits
 * for one, the methods that do not throw an {@code InterruptedException} refuse the request as {@code CANCELLED}, and the thread
 * stays interrupted.
 */
public final class NamedLimiter implements AsyncLimiter {
    private final NamedEntry entry;
    /* The limiter in this process, where a request needs nothing but it; else null. Here, because each request reads it. */
    private volatile @Nullable ManagedLimiter direct;

    NamedLimiter(NamedEntry entry) {
        this.entry = entry;
        entry.tellDirect(alone -> direct = alone);
    }

    NamedEntry entry() {
        return entry;
    }

    /** The name, as it appears in documents, rejections and meters. */
    public String name() {
        return entry.name();
    }

    /**
     * A request for one permit that knows its dimensions, such as {@code user} and {@code ip}. Whenever it is asked for, its key is
     * made of those that the limit counts by then, so a change of {@code key} concerns it too. It is for names of a registry only,
     * with any {@code withPermits}, {@code withPriority} and {@code withDeadlineNanos}.
     *
     * @param dimensions gives the value of a dimension; null or empty = it has none. It is called for each dimension once, for
     *     those that the limit counts by now within this call. It is kept as long as the request, and called later only for a
     *     dimension that a change has added: by the thread that asks, which for a request that waits may be any. What it throws
     *     then counts as no value. If it reads what ends with its call, such as a request of a server, it should have read all
     *     that it can give
     */
    public Request request(Function<String, @Nullable String> dimensions) {
        return KeyRule.request(dimensions, entry.inForce().keys());
    }

    /* Null where the limiter alone cannot answer: it does not know dimensions. */
    private @Nullable ManagedLimiter direct(Request request) {
        return request.key() instanceof KeyRule.Values ? null : direct;
    }

    /**
     * Tries to acquire, without waiting for permits: it only waits for the one answer of a store in mode {@code exact}.
     *
     * @return a {@link Permit}, to be released when the work has ended, or a {@link Rejection}
     */
    public Decision tryAcquire(Request request) {
        ManagedLimiter alone = direct(request);
        if (alone == null) {
            return entry.tryAcquire(request);
        }
        Decision decision = alone.tryAcquire(request);
        return decision instanceof Permit || alone == direct ? decision : entry.tryAcquire(request);
    }

    /** Tries to acquire one permit; see {@link #tryAcquire(Request)}. */
    public Decision tryAcquire() {
        return tryAcquire(Request.ONE);
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        ManagedLimiter alone = direct(request);
        Decision decision = alone == null ? null : alone.tryAcquire(request);
        return decision != null && (decision instanceof Permit || alone == direct)
                ? decision
                : new FollowedRequest(entry, request, maxWait).await();
    }

    /**
     * Acquires a permit, waiting as the document says.
     *
     * @throws InterruptedException if the thread is interrupted; no permit is held then
     */
    public Decision acquire(Request request) throws InterruptedException {
        return acquire(request, maxWait());
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        return new FollowedRequest(entry, request, maxWait).ask();
    }

    /** Acquires a permit without blocking, waiting as the document says. */
    public CompletableFuture<Decision> acquireAsync(Request request) {
        return acquireAsync(request, maxWait());
    }

    /**
     * Acquires a permit and calls the work, or calls the fallback if the request is refused.
     *
     * @return the result of the work or of the fallback
     * @throws Exception what the work throws
     */
    public <T> T call(Request request, Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback)
            throws Exception {
        Objects.requireNonNull(work, "work");
        Objects.requireNonNull(fallback, "fallback");
        ManagedLimiter alone = direct(request);
        if (alone != null) {
            return alone.call(request, work, fallback);
        }
        Decision decision = decide(request);
        return decision instanceof Rejection refused ? fallback.apply(refused) : called((Permit) decision, work);
    }

    /** As {@link #call(Request, Callable, Function)}, for one permit. */
    public <T> T call(Callable<? extends T> work, Function<? super Rejection, ? extends T> fallback) throws Exception {
        return call(Request.ONE, work, fallback);
    }

    /**
     * Acquires a permit and calls the work.
     *
     * @throws LimitExceededException if the request is refused
     * @throws Exception what the work throws
     */
    public <T> T call(Request request, Callable<? extends T> work) throws Exception {
        return call(request, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** As {@link #call(Request, Callable)}, for one permit. */
    public <T> T call(Callable<? extends T> work) throws Exception {
        return call(Request.ONE, work);
    }

    /** Acquires a permit and runs the work, or calls the fallback if the request is refused. */
    public void run(Request request, Runnable work, Consumer<? super Rejection> fallback) {
        Objects.requireNonNull(work, "work");
        Objects.requireNonNull(fallback, "fallback");
        ManagedLimiter alone = direct(request);
        if (alone != null) {
            alone.run(request, work, fallback);
            return;
        }
        Decision decision = decide(request);
        if (decision instanceof Rejection refused) {
            fallback.accept(refused);
            return;
        }
        Permit permit = (Permit) decision;
        try {
            work.run();
        } catch (Throwable t) {
            permit.releaseAfter(t);
            throw t;
        }
        permit.release(Outcome.SUCCESS);
    }

    /** As {@link #run(Request, Runnable, Consumer)}, for one permit. */
    public void run(Runnable work, Consumer<? super Rejection> fallback) {
        run(Request.ONE, work, fallback);
    }

    /**
     * Acquires a permit and runs the work.
     *
     * @throws LimitExceededException if the request is refused
     */
    public void run(Request request, Runnable work) {
        run(request, work, rejection -> {
            throw new LimitExceededException(rejection);
        });
    }

    /** As {@link #run(Request, Runnable)}, for one permit. */
    public void run(Runnable work) {
        run(Request.ONE, work);
    }

    /** As {@link #callAsync(Request, Duration, Supplier)}, waiting as the document says. */
    public <T> CompletableFuture<T> callAsync(Request request, Supplier<? extends CompletionStage<T>> work) {
        return callAsync(request, maxWait(), work);
    }

    /**
     * The permits of this process that are tracked, as {@code track-permits} in the document says, and have been held for longer
     * than this, oldest first. They are reported only, never released.
     */
    public List<ManagedLimiter.LongHeldPermit> heldLongerThan(Duration age) {
        LocalLimit local = entry.local();
        return local == null ? List.of() : local.limiter().heldLongerThan(age);
    }

    /** How long a request waits now that does not say it; zero = not at all. */
    public Duration maxWait() {
        return entry.maxWait();
    }

    /**
     * The limit, what is left of it, and its window and reset for the key of this request. Spends nothing and does not block.
     *
     * @return null if the limit has no such figures, the request lacks the key, or the store has told none yet
     */
    public Permit.@Nullable Quota quota(Request request) {
        return entry.quota(request);
    }

    /**
     * The counts of the limit in this process. Counting starts with the first call of this method, and costs nothing before.
     *
     * @throws IllegalStateException if it was not counted in this process yet
     */
    public Counts counts() {
        LocalLimit local = entry.local();
        if (local == null) {
            throw new IllegalStateException("limit " + name() + " must be counted in this process");
        }
        return local.limiter().counts();
    }

    /**
     * The figures of the limit: its specification, its limit, permits in flight. Where a store counts it, or while the name is
     * removed, the figures of this process are 0.
     */
    public Snapshot snapshot() {
        return entry.snapshot();
    }

    /** The state of the limit and of its parts at about this instant. */
    public LimitStatus status() {
        return entry.status();
    }

    private Decision decide(Request request) {
        try {
            return acquire(request, maxWait());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Rejection(name(), Reason.CANCELLED, 0, 0);
        }
    }

    private static <T> T called(Permit permit, Callable<? extends T> work) throws Exception {
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

    /** The name and what is in force. */
    @Override
    public String toString() {
        return "NamedLimiter[" + name() + ", " + entry.inForce().backend() + "]";
    }
}
