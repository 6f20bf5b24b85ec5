package dev.weir.queue.discipline;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The waiters of one key, and the deficit counter of that key. Not thread-safe. */
final class Subqueue {
    /** A request's key with the hash it had when first seen: a mutable key may change its hash, and is found still. */
    record Key(@Nullable Object value, int hash) {
        static Key of(@Nullable Object value) {
            return new Key(value, Objects.hashCode(value));
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || (other instanceof Key key && key.hash == hash && Objects.equals(key.value, value));
        }
    }

    /** The most that one request is charged: a sum of two of them is a long. */
    private static final long MAX_CHARGE = Long.MAX_VALUE / 4;

    final Key key;
    final long weight;
    final WaiterDeque waiters = new WaiterDeque(this);

    @Nullable
    Subqueue previous;

    @Nullable
    Subqueue next;

    /** True while the subqueue gets no turns. */
    boolean suspended;

    private final long number;
    private long deficit;

    Subqueue(Key key, int weight, long number) {
        this.key = key;
        this.weight = weight;
        this.number = number;
    }

    /** The subqueue that the waiter is in; null if none. */
    static @Nullable Subqueue of(Waiter waiter) {
        return (Subqueue) WaiterDeque.ownerOf(waiter);
    }

    /** By the number of waiters relative to the weight, then by age. */
    static int compareLength(Subqueue one, Subqueue other) {
        int byLength = Long.compare(one.waiters.size() * other.weight, other.waiters.size() * one.weight);
        return byLength != 0 ? byLength : Long.compare(one.number, other.number);
    }

    /** The amount of the first waiter beyond the deficit counter; zero or negative if it is covered. */
    long shortfall() {
        Waiter first = waiters.first();
        return first == null ? 0 : Math.min(MAX_CHARGE, first.request().amount()) - deficit;
    }

    /** The number of turns until the first waiter is covered. */
    long turnsUntilCovered() {
        return (shortfall() + weight - 1) / weight;
    }

    void creditTurns(long count) {
        deficit += count * weight;
    }

    /* A waiter granted out of turn took what the subqueues before it could not use. It is charged at most one turn or one
    request of that. */
    void charge(long amount) {
        long charged = Math.min(MAX_CHARGE, amount);
        deficit = Math.max(deficit - charged, -Math.max(weight, charged));
    }
}
