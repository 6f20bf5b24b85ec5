package dev.weir.store;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A limit that a store counts for all instances, each key by itself; null is a key too. Thread-safe. No method blocks, and none
 * but {@link #check} throws.
 * A stage that completes exceptionally says that it is not known whether the store has counted: the call is never repeated.
 * Stages may be completed on any thread, which is needed again soon: their actions must be short.
 */
public interface StoreLimit {
    /**
     * Checks the key of a request before anything is decided about it, also while the store does not answer. By default any key
     * is right.
     *
     * @throws IllegalArgumentException if the store cannot tell such a key from others
     */
    default void check(@Nullable Object key) {}

    /** Takes these permits, all or none. */
    CompletionStage<Reply> acquire(@Nullable Object key, long permits);

    /**
     * Takes as many of these permits as so many requests for one permit would be granted now. If that is fewer, the retry time is
     * that of one permit more.
     */
    CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits);

    /**
     * Counts permits that were granted without asking, also beyond the limit. A negative number refunds permits that were
     * acquired and not used; a limit that cannot refund ignores it. Of the answer only what remains is used.
     */
    CompletionStage<Reply> charge(@Nullable Object key, long permits);

    /**
     * Whether it counts by cost: a request that has a {@link dev.weir.Request#cost} takes that in place of its permits, and its permit can be
     * settled. What such a limit is charged beyond what is free is owed: it grants nothing until that is free again.
     */
    default boolean countsCost() {
        return false;
    }

    /**
     * Refunds permits of a limit {@linkplain #countsCost by cost}, as far as they still count: what {@link #refilled} tells was left out
     * already. Of the answer only what remains is used.
     *
     * @param grantedAt {@link Reply#at} of the answer that granted them; 0 = not known; {@code Long.MAX_VALUE} = just now
     */
    default CompletionStage<Reply> refund(@Nullable Object key, long permits, long grantedAt) {
        return charge(key, -permits);
    }

    /**
     * How many permits are free again after so many nanoseconds, one by one, rounded down; negative if they are free again only
     * when a window ends. What is free again is not refunded when a permit is cancelled: others may have been granted it.
     */
    default long refilled(long nanos) {
        return -1;
    }

    /** Whether permits may be taken in advance: not if a key is punished for asking for too many. */
    default boolean allowsBatches() {
        return true;
    }

    /** Completes normally if the store answers and would decide. */
    CompletionStage<?> ping();
}
