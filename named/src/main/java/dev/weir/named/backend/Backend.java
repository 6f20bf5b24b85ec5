package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Closed;
import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.RuledLimiter;
import dev.weir.named.backend.GivenStore.Setup;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.CallbackQueue;
import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreLimiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a named limit that answers requests: a limiter in this process, one over a store, several names jointly, or nothing.
 * Thread-safe.
 */
public interface Backend {
    /**
     * Acquires without waiting; only a store may be asked once. With {@code isUndone}, the permit may be {@linkplain
     * dev.weir.internal.Undoable undone}.
     */
    Decision tryAcquire(Request request, boolean isUndone);

    default Decision acquire(Request request, Duration maxWait, boolean isUndone) throws InterruptedException {
        return tryAcquire(request, isUndone);
    }

    default CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        return CompletableFuture.completedFuture(tryAcquire(request, true));
    }

    default boolean charge(Request request) {
        return false;
    }

    /** Suspends each of several names, or else the name itself; as {@link dev.weir.Limiter#suspendFor}. */
    default boolean suspendFor(Duration time, String why, BooleanSupplier itself) {
        return itself.getAsBoolean();
    }

    StrategySpec spec();

    /** The queue that tasks wait in; null = none. */
    default @Nullable CallbackQueue line() {
        return null;
    }

    /** The rule that requests are counted by now, null = none: by default the one that was published with this. */
    default @Nullable KeyRule keys(@Nullable KeyRule published) {
        return published;
    }

    /** The request as it is counted by this rule, null = by no key; null if it lacks the key. */
    default @Nullable Request counted(Request request, @Nullable KeyRule keys) {
        return KeyRule.counted(request, keys);
    }

    default List<String> names(String own) {
        return List.of(own);
    }

    /** Asks for the values that limits need now, by the rule of the name; null = it has none. */
    default void read(KeyRule.Values values, @Nullable KeyRule own) {
        if (own != null) {
            own.read(values);
        }
    }

    default Permit.@Nullable Quota quota(Request request) {
        return null;
    }

    default Duration maxWait() {
        return Duration.ZERO;
    }

    /** True if a request that this one refused must be asked for again, because the other is in force now. */
    boolean isReplacedBy(Backend other);

    /**
     * A limiter in this process, which makes the key of each request itself. It has a queue once there is something to wait for; if
     * none may wait, those still do that did before.
     */
    record Local(
            ManagedLimiter limiter,
            RuledLimiter rules,
            @Nullable AdmissionQueue queue,
            boolean waits) implements Backend {
        /* Null if no request waits or may wait, so that none is overtaken. */
        private @Nullable AdmissionQueue waiting() {
            AdmissionQueue waiting = queue;
            return waiting != null && (waits || waiting.length() > 0) ? waiting : null;
        }

        @Override
        public @Nullable KeyRule keys(@Nullable KeyRule published) {
            return (KeyRule) rules.rule();
        }

        /* A discipline orders requests by the key, so one that may wait has it. It keeps what that is made of, so that a key can be made
        of others while it waits. Without a queue, the limiter alone needs the key. */
        @Override
        public @Nullable Request counted(Request request, @Nullable KeyRule keys) {
            if (queue == null && keys != null) {
                return request;
            }
            Request counted = KeyRule.counted(request, keys);
            return counted != null && queue != null ? KeyRule.waiting(request, counted) : counted;
        }

        /** Returns true if the limiter alone answers every request, until the next settings. */
        boolean isAlone() {
            return waiting() == null;
        }

        @Override
        public Decision tryAcquire(Request request, boolean isUndone) {
            AdmissionQueue waiting = waiting();
            return waiting == null ? alone(request, isUndone) : waiting.tryAcquire(request);
        }

        private Decision alone(Request request, boolean isUndone) {
            if (!isUndone) {
                return limiter.tryAcquire(request);
            }
            // As the queue does it.
            Decision decision = limiter.attempt(request);
            if (decision instanceof Rejection refused && refused.reason() != Reason.KEY_MISSING) {
                limiter.refused(request, refused);
            }
            return decision;
        }

        @Override
        public Decision acquire(Request request, Duration maxWait, boolean isUndone) throws InterruptedException {
            AdmissionQueue waiting = waiting();
            return waiting == null
                    ? alone(request, isUndone)
                    : waiting.acquire(request, waits ? maxWait : Duration.ZERO);
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            AdmissionQueue waiting = waiting();
            return waiting == null
                    ? CompletableFuture.completedFuture(alone(request, true))
                    : waiting.acquireAsync(request, waits ? maxWait : Duration.ZERO);
        }

        @Override
        public boolean charge(Request request) {
            return limiter.charge(request);
        }

        @Override
        public StrategySpec spec() {
            return limiter.spec();
        }

        @Override
        public @Nullable CallbackQueue line() {
            return queue == null ? null : queue.callbacks();
        }

        @Override
        public Permit.@Nullable Quota quota(Request request) {
            return limiter.quota(request);
        }

        @Override
        public Duration maxWait() {
            return waits && queue != null ? queue.spec().maxWait() : Duration.ZERO;
        }

        @Override
        public boolean isReplacedBy(Backend other) {
            return !(other instanceof Local next) || (queue != null && next.queue != queue);
        }
    }

    /** A limiter over a store, which counts the limit for all instances, behind a gate. */
    record Stored(StoreLimiter limiter, Setup setup, SuspensionGate gate) implements Backend {
        @Override
        public @Nullable Request counted(Request request, @Nullable KeyRule keys) {
            Request counted = KeyRule.counted(request, keys);
            return counted == null || keys == null ? counted : keys.stored(counted);
        }

        @Override
        public Decision tryAcquire(Request request, boolean isUndone) {
            return gate.acquireAsync(limiter, setup.counted(request), Duration.ZERO)
                    .join();
        }

        @Override
        public Decision acquire(Request request, Duration maxWait, boolean isUndone) throws InterruptedException {
            return gate.acquire(limiter, setup.counted(request), maxWait);
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            return gate.acquireAsync(limiter, setup.counted(request), maxWait);
        }

        @Override
        public boolean charge(Request request) {
            return limiter.charge(setup.counted(request));
        }

        @Override
        public StrategySpec spec() {
            return limiter.spec();
        }

        @Override
        public Permit.@Nullable Quota quota(Request request) {
            return limiter.quota(setup.counted(request));
        }

        @Override
        public boolean isReplacedBy(Backend other) {
            return !(other instanceof Stored next) || next.limiter != limiter;
        }
    }

    /** Nothing: the name is removed, or the registry is closed. */
    record Nothing(Rejection rejection) implements Backend {
        Nothing(String name) {
            this(new Rejection(name, Reason.CANCELLED, 0, 0));
        }

        @Override
        public Decision tryAcquire(Request request, boolean isUndone) {
            return rejection;
        }

        @Override
        public StrategySpec spec() {
            return new Closed();
        }

        @Override
        public boolean isReplacedBy(Backend other) {
            return !(other instanceof Nothing);
        }
    }
}
