package dev.weir.store;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permits that were granted without the store, or not used, which the store has still to count or to refund. What is granted
 * while the store is away is added up by key, and is counted when it is back. Thread-safe.
 */
final class Charges {
    private static final long PURGE_NANOS = 1_000_000_000;

    private final Ticker ticker;
    private final Alarm alarm;
    private final long flushNanos;
    private final Supplier<StoreLimit> store;
    private final StoreNodes nodes;
    private final long maxKeys;
    private final AtomicBoolean armed = new AtomicBoolean();
    private final LongAdder inDoubt = new LongAdder();
    private final LongAdder uncounted = new LongAdder();
    private final LongAdder settledAgain = new LongAdder();
    /* For new entries; if it is longer, what is in the others is moved to new ones that drop nothing. */
    private volatile long horizon = Long.MAX_VALUE;
    private volatile long purged;
    private volatile boolean closed;

    /** @param maxKeys the most keys of which grants are kept */
    Charges(Ticker ticker, Alarm alarm, long flushNanos, long maxKeys, Supplier<StoreLimit> store, StoreNodes nodes) {
        this.ticker = ticker;
        this.alarm = alarm;
        this.flushNanos = flushNanos;
        this.maxKeys = maxKeys;
        this.store = store;
        this.nodes = nodes;
        this.purged = ticker.read() - PURGE_NANOS;
    }

    /** Grants older than this need not be counted: the limit would be unused again. Returns whether it is longer than before. */
    boolean horizon(long nanos) {
        boolean isLonger = nanos > horizon;
        horizon = nanos;
        return isLonger;
    }

    /** Grants that would still be counted are counted in any case. */
    void keepAll() {
        for (StoreNode node : nodes.all()) {
            for (UnreportedGrants grants : node.backlog().values()) {
                node.backlog().remove(grants);
                long permits = grants.take(ticker.read());
                if (permits > 0) {
                    laterInAnyCase(grants.key, permits);
                }
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

    /** Permits of those that were granted here: the most that was not counted. */
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
        add(key, permits, grants -> grants.add(ticker.read(), permits));
    }

    /** Counts permits later that were granted by an answer of the store. */
    void laterInAnyCase(@Nullable Object key, long permits) {
        add(key, permits, grants -> grants.keep(permits));
    }

    private void add(@Nullable Object key, long permits, Predicate<UnreportedGrants> addition) {
        StoreNode node = nodes.of(key);
        for (boolean added = false; !added; ) {
            UnreportedGrants grants = node.backlog().find(key);
            if (grants == null && !hasRoom()) {
                forget(node.link(), new Charge(store.get(), key, permits, 0));
                return;
            }
            grants = grants != null ? grants : node.backlog().get(key, this::nothing);
            added = addition.test(grants);
            if (!added) {
                node.backlog().remove(grants);
            }
        }
        arm();
    }

    private UnreportedGrants nothing(@Nullable Object key) {
        return new UnreportedGrants(key, horizon, ticker.read());
    }

    private boolean hasRoom() {
        if (size() < maxKeys) {
            return true;
        }
        long now = ticker.read();
        if (now - purged >= PURGE_NANOS) {
            purged = now;
            for (StoreNode node : nodes.all()) {
                node.backlog().removeIf(grants -> grants.endsIfEmpty(now));
            }
        }
        return size() < maxKeys;
    }

    private long size() {
        return Arrays.stream(nodes.all())
                .mapToLong(node -> node.backlog().size())
                .sum();
    }

    private void forget(StoreLink link, Charge charge) {
        if (!link.isHealthy() || !link.sendAnyway(charge)) {
            maybeUncounted(charge.permits);
        }
    }

    /** Counts now what was granted for a key without the store, also if another node had the key then. */
    void before(@Nullable Object key, StoreNode node) {
        for (StoreNode known : nodes.all()) {
            UnreportedGrants grants = known.backlog().isEmpty() || !node.link().isHealthy()
                    ? null
                    : known.backlog().find(key);
            if (grants != null) {
                known.backlog().remove(grants);
                Charge charge = take(grants, reply -> {});
                if (charge != null && !node.link().sendAnyway(charge)) {
                    charge.notSent();
                }
            }
        }
    }

    /** Takes the charge that is to be told of a key; null if there is nothing. */
    @Nullable
    Charge take(UnreportedGrants grants, Consumer<@Nullable Reply> ended) {
        long permits = grants.take(ticker.read());
        return permits == 0 ? null : new Charge(store.get(), grants.key, permits, 0, ended);
    }

    /**
     * Counts permits that were granted by an answer of the store: now, or if that cannot be sent later.
     *
     * @param ended gets the answer; null = there is none in time
     */
    void count(@Nullable Object key, long permits, Consumer<@Nullable Reply> ended) {
        Charge charge = new Charge(store.get(), key, permits, 0, ended);
        if (!nodes.of(key).link().send(charge)) {
            charge.notSent();
        }
    }

    private void arm() {
        if (!closed && !armed.get() && armed.compareAndSet(false, true)) {
            alarm.ring(flushNanos, this::flushLater);
        }
    }

    private void flushLater() {
        armed.set(false);
        boolean isLeft = false;
        for (StoreNode node : nodes.all()) {
            node.backlog().tellIfUp();
            isLeft |= !node.backlog().isEmpty();
        }
        if (isLeft) {
            arm();
        }
    }

    /** Counts now what it can, with as much on the way as may be: the connection may be closed next. Later it counts nothing. */
    void close() {
        closed = true;
        for (StoreNode node : nodes.all()) {
            if (node.link().isUp()) {
                node.backlog().tell(nodes.maxInFlight());
            }
        }
    }

    /** Refunds permits that were taken just now, unless the store is away. */
    void refund(@Nullable Object key, long permits) {
        refund(key, permits, Long.MAX_VALUE);
    }

    private void refund(@Nullable Object key, long permits, long counts) {
        if (!nodes.of(key).link().send(new Charge(store.get(), key, -permits, counts))) {
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
        if (!limit.countsCost()) {
            return;
        }
        StoreLink link = nodes.of(key).link();
        if (link.isHealthy() && link.send(new Charge(limit, key, permits, 0))) {
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
            for (StoreNode node : nodes.all()) {
                UnreportedGrants grants = node.backlog().find(key);
                left -= grants == null ? 0 : grants.takeBack(now, left);
            }
        }
        if (left > 0) {
            refund(key, left, counts);
        }
    }

    private static long refilled(StoreLimit limit, long now, long grantedAt, long counts) {
        long refilled = limit.refilled(now - grantedAt);
        return refilled >= 0 ? refilled : limit.countsCost() || now - counts < 0 ? 0 : Long.MAX_VALUE;
    }

    final class Charge implements StoreCommand<Reply> {
        private final StoreLimit limit;
        private final @Nullable Object key;
        private final long permits;
        private final long counts;
        private final Consumer<@Nullable Reply> ended;

        private Charge(StoreLimit limit, @Nullable Object key, long permits, long counts) {
            this(limit, key, permits, counts, reply -> {});
        }

        /**
         * @param permits less than 0 = they are refunded
         * @param counts of those, see {@link Reply#counts}
         * @param ended gets the answer; null = there is none in time
         */
        private Charge(
                StoreLimit limit, @Nullable Object key, long permits, long counts, Consumer<@Nullable Reply> ended) {
            this.limit = limit;
            this.key = key;
            this.permits = permits;
            this.counts = counts;
            this.ended = ended;
        }

        @Override
        public void notSent() {
            if (permits > 0) {
                laterInAnyCase(key, permits);
                ended.accept(null);
            } else {
                failed();
            }
        }

        @Override
        public CompletionStage<Reply> send() {
            return permits < 0 && limit.countsCost() ? limit.refund(key, -permits, counts) : limit.charge(key, permits);
        }

        @Override
        public void answered(Reply reply) {
            ended.accept(reply);
        }

        @Override
        public void failed() {
            record(1);
            ended.accept(null);
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
