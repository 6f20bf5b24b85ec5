package dev.weir.store;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permits that were granted without the store, or not used, which the store has still to count or to refund. What is granted
 * while the store is away is added up by key, and is counted when it is back. Thread-safe.
 */
final class Charges {
    private final Ticker ticker;
    private final Alarm alarm;
    private final long flushNanos;
    private final Supplier<StoreLimit> store;
    private final StoreLink link;
    private final StoreKeys<UnreportedGrants> unreported;
    private final AtomicBoolean armed = new AtomicBoolean();
    private final LongAdder inDoubt = new LongAdder();
    private final LongAdder uncounted = new LongAdder();
    private final LongAdder settledAgain = new LongAdder();
    /* For new entries; if it is longer, what is in the others is moved to new ones that drop nothing. */
    private volatile long horizon = Long.MAX_VALUE;
    private volatile boolean closed;

    Charges(Ticker ticker, Alarm alarm, long flushNanos, long maxKeys, Supplier<StoreLimit> store, StoreLink link) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.flushNanos = flushNanos;
        this.store = store;
        this.link = link;
        this.unreported =
                new StoreKeys<>(maxKeys, key -> new UnreportedGrants(key, horizon, ticker.read()), this::evicted);
    }

    /** Grants older than this need not be counted: the limit would be unused again. Returns whether it is longer than before. */
    boolean horizon(long nanos) {
        boolean isLonger = nanos > horizon;
        horizon = nanos;
        return isLonger;
    }

    /** Grants that would still be counted are counted in any case. */
    void keepAll() {
        for (UnreportedGrants grants : unreported.values()) {
            unreported.remove(grants.key(), grants);
            long permits = grants.take(ticker.read());
            if (permits > 0) {
                laterInAnyCase(grants.key(), permits);
            }
        }
    }

    long now() {
        return ticker.read();
    }

    /** Permits of which it is not known whether the store counts them. */
    long inDoubt() {
        return inDoubt.sum();
    }

    /** Permits of those that were granted here: the limit may be exceeded by them. */
    long uncounted() {
        return uncounted.sum();
    }

    /** It is not known whether the store has counted so many permits. */
    void isInDoubt(long permits) {
        inDoubt.add(permits);
    }

    /** It is not known whether the store has counted so many permits that were granted here. */
    void maybeUncounted(long permits) {
        inDoubt.add(permits);
        uncounted.add(permits);
    }

    /** Counts permits of this instance's part later, before the next decision on this key. */
    void later(@Nullable Object key, long permits) {
        add(key, grants -> grants.add(ticker.read(), permits));
    }

    /** Counts permits later that were granted by an answer of the store. */
    void laterInAnyCase(@Nullable Object key, long permits) {
        add(key, grants -> grants.keep(permits));
    }

    private void add(@Nullable Object key, Predicate<UnreportedGrants> addition) {
        for (boolean added = false; !added; ) {
            UnreportedGrants grants = unreported.get(key);
            added = addition.test(grants);
            if (!added) {
                unreported.remove(key, grants);
            }
        }
        arm();
    }

    /** Counts now what was granted for a key without the store. */
    void before(@Nullable Object key) {
        if (!unreported.isEmpty() && link.isHealthy()) {
            UnreportedGrants grants = unreported.find(key);
            if (grants != null) {
                boolean unused = send(grants);
            }
        }
    }

    /** Counts what was granted without the store, for all keys. */
    void flush() {
        for (UnreportedGrants grants : unreported.values()) {
            if (!send(grants)) {
                return;
            }
        }
    }

    private boolean send(UnreportedGrants grants) {
        unreported.remove(grants.key(), grants);
        long permits = grants.take(ticker.read());
        if (permits == 0 || link.sendAnyway(new Charge(store.get(), grants.key(), permits, 0))) {
            return true;
        }
        laterInAnyCase(grants.key(), permits);
        return false;
    }

    private void evicted(UnreportedGrants grants) {
        long permits = grants.take(ticker.read());
        if (permits > 0 && !link.send(new Charge(store.get(), grants.key(), permits, 0))) {
            maybeUncounted(permits);
        }
    }

    private void arm() {
        if (!closed && !armed.get() && armed.compareAndSet(false, true)) {
            alarm.ring(flushNanos, this::flushLater);
        }
    }

    private void flushLater() {
        armed.set(false);
        if (link.isHealthy()) {
            flush();
        }
        if (!unreported.isEmpty()) {
            arm();
        }
    }

    /** Counts now what it can, and later nothing. */
    void close() {
        closed = true;
        if (link.isUp()) {
            flush();
        }
    }

    /** Refunds permits that were taken just now, unless the store is away. */
    void refund(@Nullable Object key, long permits) {
        refund(key, permits, Long.MAX_VALUE);
    }

    private void refund(@Nullable Object key, long permits, long counts) {
        if (!link.send(new Charge(store.get(), key, -permits, counts))) {
            inDoubt.add(permits);
        }
    }

    /** Permits that were settled again, or after their release: that did nothing. */
    long settledAgain() {
        return settledAgain.sum();
    }

    void countSettledAgain() {
        settledAgain.increment();
    }

    /** Charges what a permit of a limit by cost has cost beyond its estimate, if the limit counts by cost still. */
    void charge(@Nullable Object key, long permits) {
        StoreLimit limit = store.get();
        if (!limit.countsCost() || (link.isHealthy() && link.send(new Charge(limit, key, permits, 0)))) {
            return;
        }
        if (closed) {
            maybeUncounted(permits);
        } else {
            laterInAnyCase(key, permits);
        }
    }

    /**
     * Refunds what others cannot have been granted meanwhile: a permit may be cancelled or settled long after its grant. Permits
     * that are less than 0 are charged.
     */
    void refundCancelled(StoreLimit granter, @Nullable Object key, long permits, long grantedAt, long counts) {
        if (permits < 0) {
            charge(key, -permits);
            return;
        }
        long now = ticker.read();
        long refilled =
                Math.max(refilled(granter, now, grantedAt, counts), refilled(store.get(), now, grantedAt, counts));
        if (permits > refilled) {
            refund(key, permits - refilled, counts);
        }
    }

    /** The same for permits that were counted {@linkplain #later later}, or are still to be. */
    void correctLater(@Nullable Object key, long permits, long grantedAt, long counts) {
        if (permits < 0) {
            charge(key, -permits);
            return;
        }
        long now = ticker.read();
        StoreLimit limit = store.get();
        long left = permits - Math.max(0, limit.refilled(now - grantedAt));
        if (left > 0 && now - grantedAt < horizon) {
            UnreportedGrants grants = unreported.find(key);
            left -= grants == null ? 0 : grants.takeBack(now, left);
        }
        if (left > 0) {
            refund(key, left, counts);
        }
    }

    private static long refilled(StoreLimit limit, long now, long grantedAt, long counts) {
        long refilled = limit.refilled(now - grantedAt);
        return refilled >= 0 ? refilled : limit.countsCost() || now - counts < 0 ? 0 : Long.MAX_VALUE;
    }

    private final class Charge implements StoreCommand<Reply> {
        private final StoreLimit limit;
        private final @Nullable Object key;
        private final long permits;
        private final long counts;

        /**
         * @param permits less than 0 = they are refunded
         * @param counts of those, see {@link Reply#counts}
         */
        private Charge(StoreLimit limit, @Nullable Object key, long permits, long counts) {
            this.limit = limit;
            this.key = key;
            this.permits = permits;
            this.counts = counts;
        }

        @Override
        public CompletionStage<Reply> send() {
            return permits < 0 && limit.countsCost() ? limit.refund(key, -permits, counts) : limit.charge(key, permits);
        }

        @Override
        public void answered(Reply reply) {}

        @Override
        public void failed() {
            record(1);
        }

        @Override
        public void answeredLate(Reply reply) {
            record(-1);
        }

        private void record(int sign) {
            if (permits > 0) {
                maybeUncounted(sign * permits);
            } else {
                isInDoubt(-sign * permits);
            }
        }
    }
}
