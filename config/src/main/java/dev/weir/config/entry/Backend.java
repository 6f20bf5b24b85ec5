package dev.weir.config.entry;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.config.entry.ClusterStore.Setup;
import dev.weir.distributed.ClusterLimiter;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The part of a named limit that answers requests: a limiter in this process, one over a store, or nothing. Thread-safe. */
public sealed interface Backend {
    /** Acquires without waiting; only a store may be asked once. */
    Decision tryAcquire(Request request);

    Decision acquire(Request request, Duration maxWait) throws InterruptedException;

    CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait);

    /** The quota for the key of this request, without spending; null if it is not known. */
    Permit.@Nullable Quota quota(Request request);

    /** The longest wait of a request that does not say its own. */
    Duration maxWait();

    /** True if a request that this one refused must be asked for again, because the other is in force now. */
    boolean isReplacedBy(Backend other);

    /**
     * A limiter in this process.
     *
     * @param queue null until there is something to wait for
     * @param waits whether requests may wait: the queue is there, and settings have one. Otherwise those still wait that did
     *     before
     */
    record Local(ManagedLimiter limiter, @Nullable AdmissionQueue queue, boolean waits) implements Backend {
        /* Null if no request waits or may wait, so that none is overtaken. */
        private @Nullable AdmissionQueue line() {
            AdmissionQueue line = queue;
            return line != null && (waits || line.length() > 0) ? line : null;
        }

        /** Whether the limiter alone answers every request, until the next settings. */
        boolean isAlone() {
            return line() == null;
        }

        @Override
        public Decision tryAcquire(Request request) {
            AdmissionQueue line = line();
            return line == null ? limiter.tryAcquire(request) : line.tryAcquire(request);
        }

        @Override
        public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
            AdmissionQueue line = line();
            return line == null ? limiter.tryAcquire(request) : line.acquire(request, waits ? maxWait : Duration.ZERO);
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            AdmissionQueue line = line();
            return line == null
                    ? CompletableFuture.completedFuture(refundable(request))
                    : line.acquireAsync(request, waits ? maxWait : Duration.ZERO);
        }

        /* As the queue does it. */
        private Decision refundable(Request request) {
            Decision decision = limiter.attempt(request);
            if (decision instanceof Rejection refused) {
                limiter.refused(request, refused);
            }
            return decision;
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

    /**
     * A limiter over a store, which counts the limit for all instances.
     *
     * @param setup of the limiter
     */
    record Stored(ClusterLimiter limiter, Setup setup) implements Backend {
        @Override
        public Decision tryAcquire(Request request) {
            return limiter.acquireAsync(setup.counted(request), Duration.ZERO).join();
        }

        @Override
        public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
            return limiter.acquire(setup.counted(request), maxWait);
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            return limiter.acquireAsync(setup.counted(request), maxWait);
        }

        @Override
        public Permit.@Nullable Quota quota(Request request) {
            return limiter.quota(setup.counted(request));
        }

        @Override
        public Duration maxWait() {
            return Duration.ZERO;
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
        public Decision tryAcquire(Request request) {
            return rejection;
        }

        @Override
        public Decision acquire(Request request, Duration maxWait) {
            return rejection;
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            return CompletableFuture.completedFuture(rejection);
        }

        @Override
        public Permit.@Nullable Quota quota(Request request) {
            return null;
        }

        @Override
        public Duration maxWait() {
            return Duration.ZERO;
        }

        @Override
        public boolean isReplacedBy(Backend other) {
            return !(other instanceof Nothing);
        }
    }
}
