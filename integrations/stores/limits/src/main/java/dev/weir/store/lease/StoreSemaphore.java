package dev.weir.store.lease;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.internal.Require;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import dev.weir.spi.StrategySpec;
import dev.weir.store.NotCountedException;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import dev.weir.store.internal.SafeAlarm;
import dev.weir.store.internal.StoreLink;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * A concurrency limit for all instances together, counted by a {@link LeaseStore}. Thread-safe.
 *
 * <pre>{@code
 * StoreSemaphore export = StoreSemaphore.builder("export", new Semaphore(10), redis.leases(), WhenAway.closed()).build();
 * export.run(Request.ONE, Duration.ofSeconds(5), () -> write());
 * }</pre>
 *
 * <p>Each permit is a {@link LeasedPermit}: the store counts it for the length of a lease, by its own clock, and this instance
 * renews the lease until the permit is released. A release that the store does not confirm is sent again, until it is confirmed or
 * the lease has ended. The permits of a process that ends without a release are free again when their leases have ended. After a loss
 * of its data that it notices, a store accepts renewals only, until one lease has passed, and learns from them
 * what is held: the number of permits held by their leases is never above the limit. It is above the limit while the
 * store does not answer, by what {@link WhenAway} grants, while the limit was lowered below it, and for one lease after a loss
 * of data that the store cannot notice ({@link StateLeases}).
 *
 * <p>Requests of this instance wait in order of arrival, and so do instances: a refused instance is put behind those that wait already,
 * at most 64, and gets a message when there is room for it, which is kept free for 100 ms. What it does not ask for by then is for the
 * next. Each instance has one place, so instances that want one permit after the other get them in turn. Where no message comes, because
 * the store sends none or the connection for messages was lost, an instance asks again after a {@linkplain Builder#poll poll}, and
 * keeps its place meanwhile. A request that does not wait is tried once, after all that wait. The {@linkplain Request#key() key} of a
 * request is not used.
 *
 * <p>After {@link #close} every request is refused as {@code CANCELLED}, also by the {@link #gate}. Permits that are held stay valid, are
 * renewed until they are released, and may be released, so the store must be open until then.
 */
public final class StoreSemaphore implements StoreLimiter {
    private final String name;
    private final GuardedLeases store;
    private final HeldLeases leases;
    private final AwayGrants away;
    private final LeaseGate gate;
    private final AdmissionQueue queue;
    private final Executor executor;
    /* Read once for each command. */
    private volatile Semaphore spec;

    private StoreSemaphore(Builder options) {
        executor = options.executor;
        name = options.name;
        Alarm alarm = new SafeAlarm(options.alarm);
        spec = options.spec;
        store = new GuardedLeases(
                options.leases(),
                this::limit,
                options.lease.toNanos(),
                options.timeout.toNanos(),
                options.ticker,
                alarm,
                new Store());
        leases = new HeldLeases(store, options.ticker, alarm, options.executor, this::wake);
        away = new AwayGrants(name, options.whenAway, leases, this::limit);
        gate = new LeaseGate(name, leases, away, store, this::limit, alarm, options.poll.toNanos());
        queue = AdmissionQueue.builder(name, gate, QueueSpec.of(options.maxWaiting))
                .ticker(options.ticker)
                .alarm(alarm)
                .executor(options.executor)
                .build();
    }

    /** Options of a semaphore. Not thread-safe. */
    public static final class Builder {
        private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
        private static final Duration LONGEST_LEASE = Duration.ofDays(1);

        private final String name;
        private final Semaphore spec;
        private final LeaseStore store;
        private final WhenAway whenAway;
        private Duration lease = Duration.ofSeconds(10);
        private Duration timeout = Duration.ofMillis(200);
        private Duration poll = Duration.ofMillis(50);
        private int maxWaiting = 10_000;
        private Ticker ticker = Ticker.system();
        private Alarm alarm = Alarm.system();
        private Executor executor = ForkJoinPool.commonPool();

        private Builder(String name, Semaphore spec, LeaseStore store, WhenAway whenAway) {
            this.name = Objects.requireNonNull(name, "name");
            this.spec = Objects.requireNonNull(spec, "spec");
            this.store = Objects.requireNonNull(store, "store");
            this.whenAway = Objects.requireNonNull(whenAway, "whenAway");
            if (name.isBlank()) {
                throw new IllegalArgumentException("name must not be blank");
            }
        }

        /**
         * Sets for how long the store counts a permit after it was granted or renewed: how long the permits of a process that was killed
         * are missing, and for how long a process may stand still without losing its permits. Renewed three times as often.
         * Default: 10 seconds.
         *
         * @throws IllegalArgumentException if it is not within 100 ms and 1 day
         */
        public Builder lease(Duration lease) {
            this.lease = within("lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
            return this;
        }

        /**
         * Bounds the wait for an answer of the store. After three failures in a row the store counts as away. Default: 200 ms.
         *
         * @throws IllegalArgumentException if it is not within 1 ms and 1 minute
         */
        public Builder timeout(Duration timeout) {
            this.timeout = within("timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(1));
            return this;
        }

        /**
         * Sets how long this instance waits, on average, before it asks again for the first of its waiting requests: half as long to half
         * as long again. A permit that was fetched for a request which is gone is returned after this time, or when another number is
         * wanted. Over a store that sends no messages at most 60 ms, because an instance that does not ask within 100 ms after there was
         * room for it loses its turn. Default: 50 ms.
         *
         * @throws IllegalArgumentException if it is not within 1 ms and 1 minute
         */
        public Builder poll(Duration poll) {
            this.poll = within("poll", poll, Duration.ofMillis(1), Duration.ofMinutes(1));
            return this;
        }

        /**
         * Bounds the requests of this instance that wait; others are refused as {@code QUEUE_FULL}. Default: 10,000.
         *
         * @throws IllegalArgumentException if {@code requests < 0}
         */
        public Builder maxWaiting(int requests) {
            Require.that(requests >= 0, "requests must be >= 0", requests);
            this.maxWaiting = requests;
            return this;
        }

        /** Completes futures, and so runs their dependent stages, and calls the actions of lost permits. Default: the common pool. */
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /** The clock by which leases are renewed and end here. Default: {@link Ticker#system}. */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /** Renews leases, ends time-outs and polls. Default: {@link Alarm#system}. */
        public Builder alarm(Alarm alarm) {
            this.alarm = Objects.requireNonNull(alarm, "alarm");
            return this;
        }

        /** Makes the semaphore. It does not ask the store yet. */
        public StoreSemaphore build() {
            return new StoreSemaphore(this);
        }

        private Leases leases() {
            return store.leases(name, Long.toUnsignedString(new SecureRandom().nextLong()));
        }

        private static Duration within(String what, Duration value, Duration least, Duration most) {
            boolean isWithin = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
            Require.that(isWithin, what + " must be >= " + least + " and <= " + most, value);
            return value;
        }
    }

    /**
     * Options of a semaphore.
     *
     * @param name instances with the same name share the limit; not blank
     * @param store counts the permits of all instances; stays open when the semaphore is closed
     * @param whenAway what is granted while the store does not answer. {@link WhenAway.Local} grants this instance's part of the
     *     limit, in which what the store granted to it counts too. Permits that are granted meanwhile are counted by the store
     *     when it is back, also above the limit
     * @throws IllegalArgumentException if the name is blank
     */
    public static Builder builder(String name, Semaphore spec, LeaseStore store, WhenAway whenAway) {
        return new Builder(name, spec, store, whenAway);
    }

    /** The store of this semaphore, as its link sees it. */
    private final class Store implements StoreLink.Store {
        @Override
        public CompletionStage<?> ping() {
            return store.probe();
        }

        @Override
        public boolean isNeeded() {
            return !gate.isClosed() || !leases.isEmpty();
        }

        @Override
        public boolean isUnsent(Throwable failure) {
            return failure instanceof NotCountedException;
        }

        @Override
        public boolean isAnswered(Throwable failure) {
            return failure instanceof NotCountedException refused && refused.isAnswered();
        }

        @Override
        public void changed() {
            if (!store.isAway()) {
                leases.resume();
            }
            wake();
        }
    }

    private void wake() {
        gate.wake();
    }

    private long limit() {
        return spec.limit();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Semaphore spec() {
        return spec;
    }

    /**
     * {@inheritDoc} A limit below the number of permits that are held takes none away: nothing is granted until enough are
     * released.
     */
    @Override
    public void reconfigure(StrategySpec next) {
        if (!(Objects.requireNonNull(next, "next") instanceof Semaphore semaphore)) {
            throw new IllegalArgumentException("spec must be a Semaphore, was " + next);
        }
        if (gate.isClosed()) {
            throw new IllegalStateException(name + " is closed");
        }
        if (!semaphore.equals(spec)) {
            spec = semaphore;
            wake();
        }
    }

    /** Permits that this instance has granted and that are not released, also those that are lost. */
    public long held() {
        return leases.permits();
    }

    /**
     * This semaphore for a queue before it: {@code AdmissionQueue.builder(name, semaphore.gate(), QueueSpec.of(100))}. An attempt is
     * answered at once, from permits that were fetched for the attempts before; one that no request takes is returned soon.
     */
    public Gate gate() {
        return gate;
    }

    /** {@inheritDoc} A request that does not wait takes one round trip to the store, or the time-out. */
    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        return isPositive(maxWait) ? queue.acquireAsync(request, maxWait) : tryOnce(request);
    }

    /**
     * {@inheritDoc} If the thread is interrupted at the same moment as a request that does not wait is answered, it gets the answer and
     * stays interrupted.
     */
    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        if (isPositive(maxWait)) {
            return queue.acquire(request, maxWait);
        }
        CompletableFuture<Decision> tried = tryOnce(request);
        try {
            return tried.get();
        } catch (InterruptedException e) {
            if (tried.cancel(false)) {
                throw e;
            }
            Thread.currentThread().interrupt();
            return tried.join();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static boolean isPositive(Duration maxWait) {
        return !Objects.requireNonNull(maxWait, "maxWait").isNegative() && !maxWait.isZero();
    }

    private CompletableFuture<Decision> tryOnce(Request request) {
        long limit = limit();
        if (gate.isClosed() || request.permits() > limit) {
            Reason reason = gate.isClosed() ? Reason.CANCELLED : Reason.NEVER;
            return CompletableFuture.completedFuture(new Rejection(name, reason, 0, limit));
        }
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        leases.acquire(request.permits(), 0, new HeldLeases.Answer() {
            @Override
            public void granted(LeasedPermit permit) {
                complete(decision, permit);
            }

            @Override
            public void refused(LeaseReply answer) {
                complete(decision, rejection(answer));
            }

            @Override
            public void failed() {
                complete(decision, away.decide(request));
            }
        });
        return decision;
    }

    /* The end of the first lease is no estimate: leases are renewed, and permits are released before. */
    private Rejection rejection(LeaseReply answer) {
        boolean restarted = answer.reason() == LeaseReply.Reason.RECOVERS;
        return new Rejection(
                name,
                answer.retryMicros() < 0 ? Reason.NEVER : Reason.CONCURRENCY,
                restarted ? TimeUnit.MICROSECONDS.toNanos(answer.retryMicros()) : 0,
                answer.limit());
    }

    /* Not on the thread of the connection: dependent stages may block. */
    private void complete(CompletableFuture<Decision> future, Decision decision) {
        Runnable completion = () -> {
            if (!future.complete(decision) && decision instanceof Permit permit) {
                permit.release(Outcome.CANCELLED);
            }
        };
        try {
            executor.execute(completion);
        } catch (RuntimeException e) {
            completion.run();
        }
    }

    /** {@inheritDoc} Those that wait are refused too. Permits that are held stay valid, and are renewed until they are released. */
    @Override
    public void close() {
        gate.close();
        queue.close();
    }

    /** The name, the limit, and how many permits this instance holds. */
    @Override
    public String toString() {
        return "StoreSemaphore[" + name + ", " + held() + " of " + limit() + " held here]";
    }
}
