package dev.weir;

/**
 * A limit that can be changed while it is in force. Thread-safe. Changes are made one after the other; no method waits for
 * permits to be released.
 */
public interface Adjustable {
    /** The limit in force, in the unit of its owner: requests in flight, or permits per period. */
    long limit();

    /**
     * Sets the limit. Permits that are held stay valid, and what a rate has spent stays spent. Waits for a change by another
     * thread that is under way. Does nothing if this is {@linkplain #stale stale}.
     *
     * @param limit at least 1
     * @throws IllegalArgumentException if {@code limit < 1} or larger than its owner can count; the limit stays unchanged
     */
    void setLimit(long limit);

    /**
     * Sets the limit, and passes a reason to observers. Otherwise the same as {@link #setLimit(long)}.
     *
     * @param why a few words that say who changes the limit, or why
     * @throws IllegalArgumentException if {@code limit < 1} or larger than its owner can count; the limit stays unchanged
     */
    default void setLimit(long limit, String why) {
        setLimit(limit);
    }

    /** True once {@link #setLimit} has no effect any more, because the strategy that it adjusts has been replaced. */
    default boolean stale() {
        return false;
    }
}
