package dev.weir.named;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.Counts;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.named.backend.FollowedRequest;
import dev.weir.named.backend.JointBackend;
import dev.weir.named.backend.KeyRule;
import dev.weir.named.backend.LocalLimit;
import dev.weir.named.backend.NamedEntry;
import dev.weir.named.status.LimitStatus;
import dev.weir.spi.LimitView;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one name of {@link Names}: the same object as long as they live, whatever is put in force; or of several
 * names at once. The limit may be counted in this process or by a store, with or without a queue, by key or not,
 * adaptive or not, and any of these may change while requests come and wait. Thread-safe.
 *
 * <p>A method without a {@code maxWait} waits for the {@code max-wait} of the queue that the document gives the name, also of the
 * one that {@code adaptive} brings, 500 ms; without a queue it refuses at once. {@code tryAcquire} never waits. A request that
 * waits during a change is asked for again, for the rest of its time, where the name is answered next. While the name is removed,
 * and after the names were closed, requests are refused as {@code CANCELLED}.
 *
 * <p>A request without the key that the limit counts by, or with one of another shape, is refused as {@code KEY_MISSING}, unless
 * the document says {@code key-missing: share} or {@code skip}. {@link #request} makes the key of
 * the dimensions that a document names; a limit by the whole key ({@code key: true}, or a {@code Keyed} that code declares) needs
 * {@link Request#forKey}.
 *
 * <p>Several names ({@link Names#limiter(String, String, String...)}) all grant a request, or it takes nothing from any:
 * what the others granted to a refused request is refunded, and the rejection has the name that refused. They are asked in the
 * order of the alphabet, whatever order they were given in, and last the one that a store counts. A request that waits for one of
 * them holds what those before it have granted, for at most its time: since all wait in the same order, no two requests block each
 * other, but for one that waits at a store while a document has this process count that limit: then the time of one may have to
 * end. Each counts by its own key, and {@link #request(Function, Map)} says what each costs; without it, a request costs as many
 * permits of each.
 */
public final class NamedLimiter implements Limiter, AsyncLimiter, LimitView {
    private final NamedEntry entry;
    /* Empty = one name. */
    private final List<NamedLimiter> members;
    /* The limiter in this process, where a request needs nothing but it; else null. Here, because each request reads it. */
    private volatile @Nullable ManagedLimiter direct;

    NamedLimiter(NamedEntry entry) {
        this(entry, List.of());
    }

    private NamedLimiter(NamedEntry entry, List<NamedLimiter> members) {
        this.entry = entry;
        this.members = members;
        entry.tellDirect(alone -> direct = alone);
    }

    /** Several names at once. */
    static NamedLimiter of(List<NamedLimiter> members) {
        return new NamedLimiter(
                JointBackend.of(members.stream().map(each -> each.entry).toList()), members);
    }

    /** The name, as it appears in documents, rejections and meters; of several names, such as {@code a+b}. */
    @Override
    public String name() {
        return entry.name();
    }

    /** This one; of several names, the handle of each in the order in which they were given. */
    @Override
    public List<NamedLimiter> limits() {
        return members.isEmpty() ? List.of(this) : members;
    }

    /** The specification in force; of several names, all of theirs. While the name is removed, one that grants nothing. */
    @Override
    public StrategySpec spec() {
        return entry.inForce().backend().spec();
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
    @Override
    public Request request(Function<String, @Nullable String> dimensions) {
        return request(dimensions, Map.of());
    }

    /** The dimensions that the limit counts by now, such as {@code user}; none where it has no key, or a key without names. */
    public Set<String> dimensions() {
        Set<String> asked = new LinkedHashSet<>();
        request(name -> {
            asked.add(name);
            return null;
        });
        return asked;
    }

    /* Null where the limiter alone cannot answer: it does not know dimensions. */
    private @Nullable ManagedLimiter direct(Request request) {
        return request.key() instanceof KeyRule.Values ? null : direct;
    }

    /**
     * A request of several names that costs a number of permits of each, such as 10 of {@code tokens} and one of {@code slots}.
     * Otherwise the same as {@link #request(Function)}. The key of the request has the costs: with another key they are lost.
     *
     * @param costs permits by name, each at least 1; each of the other names costs the permits of the request
     * @throws IllegalArgumentException if a name is none of these, or a cost is less than 1
     */
    public Request request(Function<String, @Nullable String> dimensions, Map<String, Long> costs) {
        return entry.inForce().request(dimensions, costs);
    }

    @Override
    public Decision tryAcquire(Request request) {
        ManagedLimiter alone = direct(request);
        if (alone == null) {
            return entry.tryAcquire(request, false);
        }
        Decision decision = alone.tryAcquire(request);
        return isOf(alone, decision) ? decision : entry.tryAcquire(request, false);
    }

    /* A permit counts, and a rejection unless something else answers by then. */
    private boolean isOf(ManagedLimiter alone, Decision decision) {
        return decision instanceof Permit || alone == direct;
    }

    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(maxWait, "maxWait");
        ManagedLimiter alone = direct(request);
        Decision decision = alone == null ? null : alone.tryAcquire(request);
        return alone != null && decision != null && isOf(alone, decision)
                ? decision
                : FollowedRequest.await(entry, request, maxWait, false);
    }

    @Override
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

    @Override
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

    @Override
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

    /** {@inheritDoc} Of several names, at each of them. */
    @Override
    public boolean charge(Request request) {
        return entry.charge(request);
    }

    /** As {@link #callAsync(Request, Duration, Supplier)}, waiting for at most {@link #maxWait}. */
    @Override
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

    /**
     * {@inheritDoc} It stays through changes and reloads of the document, also where a store counts the limit: this instance does
     * not ask the store then, and at most 10,000 requests wait for the end. Other instances are not suspended. Of several names,
     * each is.
     *
     * @throws IllegalStateException if it is called by code that is changing the limit
     */
    @Override
    public boolean suspendFor(Duration time, String why) {
        Objects.requireNonNull(time, "time");
        return entry.suspendFor(time, Objects.requireNonNull(why, "why"));
    }

    /** {@inheritDoc} Of several names, the longest. */
    @Override
    public Duration maxWait() {
        return entry.maxWait();
    }

    /** {@inheritDoc} Of several names, the figures of the one that leaves the fewest permits. */
    @Override
    public Permit.@Nullable Quota quota(Request request) {
        return entry.quota(request);
    }

    /**
     * The counts of the limit in this process. Counting starts with the first call of this method, and costs nothing before.
     *
     * @throws IllegalStateException if it was not counted in this process yet, or if these are several names
     */
    public Counts counts() {
        LocalLimit local = entry.local();
        if (local == null) {
            throw new IllegalStateException("limit " + name() + " must be counted in this process");
        }
        return local.limiter().counts();
    }

    /**
     * The figures of the limit: its specification, its limit, permits in flight. Where a store counts it, while the name is
     * removed, and of several names, the figures of this process are 0.
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
