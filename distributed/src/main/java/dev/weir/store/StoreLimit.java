package dev.weir.store;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A limit that a store counts for all instances, each key by itself; null is a key too. Thread-safe. No method blocks, and none
 * but {@link #check} throws.
 * A stage that completes exceptionally says that it is not known whether the store has counted: the call is never repeated. With a
 * {@link NotCountedException} it says that the store has not.
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
     * Counts permits that were granted without asking, also beyond the limit. What is beyond is owed: nothing is granted until it is free
     * again at the rate, also if a window ends before. A negative number refunds permits that were
     * acquired and not used; a limit that cannot refund ignores it. Of the answer only what remains is used.
     */
    CompletionStage<Reply> charge(@Nullable Object key, long permits);

    /**
     * True if it counts by cost: a request that has a {@link dev.weir.Request#cost} takes that in place of its permits, and its permit
     * can be settled. What such a limit is charged beyond what is free is owed: it grants nothing until that is free again.
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
     * The number of permits that are free again after so many nanoseconds, one by one, rounded down; negative if they are free again only
     * when a window ends. What is free again is not refunded when a permit is cancelled: others may have been granted it.
     */
    default long refilled(long nanos) {
        return -1;
    }

    /** True if permits may be taken in advance: not if a key is punished for asking for too many. */
    default boolean allowsBatches() {
        return true;
    }

    /** Completes normally if the store answers and would decide: all nodes of it. */
    CompletionStage<?> ping();

    /**
     * The number of nodes that count, each some of the keys: one that does not answer is then away by itself, while the others decide. It
     * may change at any time. By default the store is one node. If nodes come and go, it is one more than the highest number that is, or
     * was, used; the number of a node that has gone may be used for another.
     */
    default int nodes() {
        return 1;
    }

    /**
     * The node that counts this key by what is known now: {@code >= 0} and {@code < nodes()}, anything else counts as 0. Called more than
     * once for a request. It is only a hint of which commands fail together: where a command goes is decided when it is sent.
     */
    default int node(@Nullable Object key) {
        return 0;
    }

    /** A name of a node for people, such as its address. By default its number. */
    default String nodeName(int node) {
        return Integer.toString(node);
    }

    /**
     * Completes normally if this node answers and would decide. Also if there is no such node now: nothing fails for its sake. By default
     * the same as {@link #ping()}.
     */
    default CompletionStage<?> ping(int node) {
        return ping();
    }
}
