package dev.weir.store.state;

/** The permits that count in a sliding window at one time. Not thread-safe. */
interface SlidingCounts {
    /** Those of a window or a log at this time, which never goes back: it is ahead of that of the store since that went back. */
    static SlidingCounts of(State state, long now) {
        return state.rule() == StateRule.LOG ? Entries.of(state, now) : Blocks.of(state, now);
    }

    /** By how much their time is ahead of that of the store. */
    long ahead();

    long used();

    /** Microseconds until nothing counts. */
    long reset();

    /** Microseconds until there is so much room below the limit. */
    long await(long permits, long limit);

    void count(long permits, long limit);

    /** Refunds from the oldest on: what remains counts no shorter than what was granted. */
    void refund(long permits);

    /** Of the permits up to this total of a log none counts any more. */
    default long base() {
        return 0;
    }

    /** Those that count, in the form of a state. */
    long[] elements();
}
