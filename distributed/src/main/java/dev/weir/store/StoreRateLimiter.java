package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.internal.Workers;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A limiter over a store that counts the limit for all instances. Thread-safe. It asks the store as its {@linkplain Mode mode}
 * says, waits for each answer no longer than a time-out, and decides by {@link WhenAway} what the store does not decide in time.
 *
 * <p>A future completes within {@code maxWait} and one time-out, never exceptionally. A request that is refused only for now is
 * tried again until {@code maxWait} or its deadline; then it is refused as {@code TIMED_OUT}. Each permit is an object of its
 * own: its first release counts. {@link dev.weir.Outcome#CANCELLED} refunds it if the request asks for that, and the store has
 * counted it and can refund.
 *
 * <p>If the limit counts by cost, {@link dev.weir.Permit#settle} tells the store once, without waiting for it. Until then the store knows
 * the estimate only: this instance overruns the limit by at most what its calls that are not yet settled cost beyond their estimates. What
 * is owed while the store is away is charged when it is back; a refund is left out then.
 *
 * <p>No command is repeated. If one fails, or its answer comes too late, the request has been decided by {@link WhenAway}
 * instead, and permits of a late answer are refunded. What {@link WhenAway.Closed} refuses is refused as {@code UNAVAILABLE},
 * without a retry time. After some failures one after the other the store counts as away: then
 * nothing is sent to it but one ping after the other, until one is answered. Each {@linkplain StoreLimit#nodes node} of a store is away
 * by itself: only requests with its keys are decided here.
 *
 * <p>What was granted meanwhile is told to a node that is back, a few keys at a time and apart from requests, and before the next request
 * with the same key. Such a charge is kept until it was sent. If it is not answered it is not repeated: its permits are in {@link
 * StoreStatus#uncountedPermits}, which is the most that was not counted: the store may have counted them all.
 */
public final class StoreRateLimiter implements StoreLimiter {
    private record Active(StrategySpec spec, Decider decider) {}

    private static final long MAX_WAIT = Long.MAX_VALUE / 4;

    private final String name;
    private final Function<? super StrategySpec, ? extends StoreLimit> stores;
    private final LocalParts parts;
    private final Decisions decisions;
    private final Executor executor;
    private final Object changes = new Object();
    /* A command may go to the store of a moment ago. */
    private volatile Active active;
    private volatile boolean closed;

    StoreRateLimiter(StoreRateLimiterBuilder options) {
        name = options.name;
        stores = options.stores;
        executor = options.executor != null ? options.executor : new Workers("weir-store-" + name);
        StoreLimit store = Objects.requireNonNull(stores.apply(options.spec), "store");
        parts = new LocalParts(options, store, this::retry);
        decisions = parts.decisions;
        active = new Active(options.spec, parts.decider(store));
    }

    /**
     * A builder of a limiter.
     *
     * @param name the name in rejections, not blank
     * @param spec the limit
     * @param stores counts a limit in the store; throws {@code IllegalArgumentException} if it cannot. Called now, and again
     *     for each other specification
     * @param whenAway what is granted while the store does not answer
     * @throws IllegalArgumentException if the name is blank
     */
    public static StoreRateLimiterBuilder builder(
            String name,
            StrategySpec spec,
            Function<? super StrategySpec, ? extends StoreLimit> stores,
            WhenAway whenAway) {
        return new StoreRateLimiterBuilder(name, spec, stores, whenAway);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public StrategySpec spec() {
        return active.spec;
    }

    /** The state of the limiter and of its link to the store. */
    public StoreStatus status() {
        return parts.status();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the store {@linkplain StoreLimit#check does not take} such a key
     */
    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        Request counted = parts.checked(request);
        long wait = waitNanos(request, maxWait);
        Decision decision = decide(counted, parts.countsAsOverload());
        if (decision != null && (wait == 0 || !parts.mayWait(decision))) {
            return CompletableFuture.completedFuture(parts.counted(decision));
        }
        return started(request, counted, wait, executor, decision).future();
    }

    /**
     * Acquires a permit, and blocks the calling thread until there is an answer. If the thread is interrupted at the same
     * moment as a permit is granted, it gets the permit and stays interrupted.
     *
     * @throws IllegalArgumentException if the store {@linkplain StoreLimit#check does not take} such a key
     */
    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Request counted = parts.checked(request);
        long wait = waitNanos(request, maxWait);
        Decision decision = decide(counted, parts.countsAsOverload());
        if (decision != null && (wait == 0 || !parts.mayWait(decision))) {
            return parts.counted(decision);
        }
        CompletableFuture<Decision> future =
                started(request, counted, wait, null, decision).future();
        try {
            return future.get();
        } catch (InterruptedException e) {
            if (future.cancel(false)) {
                throw e;
            }
            Thread.currentThread().interrupt();
            return future.join();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private static long waitNanos(Request request, Duration maxWait) {
        if (Objects.requireNonNull(maxWait, "maxWait").isNegative() || maxWait.isZero()) {
            return 0;
        }
        boolean isLong = maxWait.compareTo(Duration.ofNanos(MAX_WAIT)) > 0;
        return Math.min(isLong ? MAX_WAIT : maxWait.toNanos(), request.deadlineNanos());
    }

    private StoreRequest started(
            Request asked, Request counted, long wait, @Nullable Executor completing, @Nullable Decision decision) {
        StoreRequest pending = new StoreRequest(asked, decisions.now() + wait, wait > 0, completing, parts::counted);
        pending.counted(counted);
        continued(pending, decision);
        return pending;
    }

    private void retry(StoreRequest pending) {
        try {
            if (!pending.isDone()) {
                pending.counted(parts.checked(pending.asked));
                continued(pending, decide(pending.request(), parts.isOverloaded()));
            }
        } catch (Throwable t) { // such as that of its key
            pending.complete(decisions.refused(Reason.RATE, 0, 0));
        }
    }

    private void continued(StoreRequest pending, @Nullable Decision decision) {
        if (decision != null) {
            decisions.settle(pending, decision);
        } else {
            active.decider.ask(pending);
        }
    }

    /* Null if the store must be asked. */
    private @Nullable Decision decide(Request request, boolean overloaded) {
        if (closed) {
            return decisions.refused(Reason.CANCELLED, 0, 0);
        }
        Decider decider = active.decider;
        Decision decision = overloaded ? null : decider.tryNow(request);
        if (decision != null || (!overloaded && decisions.isUp(request.key()))) {
            return decision;
        }
        decider.bypassed(request);
        return decisions.away.decide(request);
    }

    /**
     * {@inheritDoc} The modes {@code Verdict} and {@code Batched} keep it, as long as they use that answer.
     *
     * @throws IllegalArgumentException if the store {@linkplain StoreLimit#check does not take} such a key
     */
    @Override
    public @Nullable Quota quota(Request request) {
        Request counted = parts.checked(request);
        return closed || !decisions.isUp(counted.key()) ? null : active.decider.quota(counted);
    }

    /**
     * {@inheritDoc} The store is told at once, or if it is away when it is back. A command that fails is not sent again: what it
     * charges is then in {@link StoreStatus#uncountedPermits}.
     *
     * @throws IllegalArgumentException if the store {@linkplain StoreLimit#check does not take} such a key
     */
    @Override
    public boolean charge(Request request) {
        Request counted = parts.checked(request);
        boolean charged = parts.charge(counted);
        if (charged) {
            active.decider.bypassed(counted);
        }
        return charged;
    }

    @Override
    public void reconfigure(StrategySpec spec) {
        Objects.requireNonNull(spec, "spec");
        Active replaced;
        boolean isSlower;
        synchronized (changes) {
            if (closed) {
                throw new IllegalStateException("limiter " + name + " is closed");
            }
            replaced = active;
            if (spec.equals(replaced.spec)) {
                return;
            }
            StoreLimit store = Objects.requireNonNull(stores.apply(spec), "store");
            Decider next = parts.decider(store);
            isSlower = parts.reconfigure(spec, store);
            active = new Active(spec, next);
        }
        if (isSlower) {
            parts.keepUnreported();
        }
        replaced.decider.close();
    }

    @Override
    public void close() {
        synchronized (changes) {
            if (closed) {
                return;
            }
            closed = true;
        }
        active.decider.close();
        parts.close();
    }

    /** The name and the specification. */
    @Override
    public String toString() {
        return "StoreRateLimiter[" + name + ", " + spec() + "]";
    }
}
