package dev.weir;

/** A number that can be turned while it is in force. */
public interface Adjustable {
    /** The limit in force, in the owner's own unit. */
    long limit();

    /**
     * Puts a limit in force. Never blocks; what is held or spent stays so.
     *
     * @throws IllegalArgumentException if {@code limit < 1} or above what the owner can count; the old one stays
     */
    void setLimit(long limit);

    /** As {@link #setLimit(long)}, saying why in a few words that observers are told. */
    default void setLimit(long limit, String why) {
        setLimit(limit);
    }

    /** Whether {@link #setLimit} has no effect any more, because what it adjusted has been replaced. */
    default boolean stale() {
        return false;
    }
}
