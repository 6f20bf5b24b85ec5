package dev.weir.queue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Those of one key, and what they may spend. Not thread-safe. */
final class Lane {
    /** A tenant's key with the hash it had when it was first seen: it may change, and must be found again. */
    record Key(@Nullable Object tenant, int hash) {
        static Key of(@Nullable Object tenant) {
            return new Key(tenant, Objects.hashCode(tenant));
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other
                    || (other instanceof Key key && key.hash == hash && Objects.equals(key.tenant, tenant));
        }
    }

    /** What one request is charged at most: a sum of two of them is a long. */
    private static final long MOST = Long.MAX_VALUE / 4;

    final Key key;
    final long weight;
    final Chain waiters = new Chain();

    @Nullable
    Lane before;

    @Nullable
    Lane behind;

    private final long number;
    private long deficit;

    Lane(Key key, int weight, long number) {
        this.key = key;
        this.weight = weight;
        this.number = number;
    }

    /** By the number of waiters relative to the weight, then by age. */
    static int compareLength(Lane one, Lane other) {
        int byLength = Long.compare(one.waiters.size() * other.weight, other.waiters.size() * one.weight);
        return byLength != 0 ? byLength : Long.compare(one.number, other.number);
    }

    /** What its first waiter wants beyond what it may spend; none if not positive. */
    long lacks() {
        Waiter first = waiters.first();
        return first == null ? 0 : Math.min(MOST, first.request().permits()) - deficit;
    }

    /** How many turns until its first waiter may be asked for. */
    long turnsAway() {
        return (lacks() + weight - 1) / weight;
    }

    void turns(long count) {
        deficit += count * weight;
    }

    /* Out of its turn it took what the lanes before it could not use, and owes little of that: a turn or a request. */
    void spend(long permits) {
        long charged = Math.min(MOST, permits);
        deficit = Math.max(deficit - charged, -Math.max(weight, charged));
    }
}
