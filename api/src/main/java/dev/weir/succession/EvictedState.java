package dev.weir.succession;

/**
 * A format for the state of an evicted strategy: a few longs, kept by a table with more keys than it has room for. A
 * state of zeros is that of a strategy that has granted nothing. Several keys may share one state, so states are
 * combined. A state that is read never allows more than one that was written. Thread-safe.
 */
public interface EvictedState {
    /** The number of longs of one state. 0 = there is nothing to keep: strategies are evicted only with nothing in flight. */
    int longs();

    /**
     * Writes the state of a strategy that gets no more requests, without its debt from before a change.
     *
     * @param state all zero
     * @return false if the state does not fit; what its account says is kept instead
     */
    boolean write(PartStrategy evicted, long[] state);

    /** Restores what is left of a state to a strategy that was just created. Returns that, or one around it. */
    PartStrategy read(long[] state, PartStrategy fresh);

    /** True if a state that was written some time ago is now that of a strategy that has granted nothing. */
    boolean isFree(long[] state);

    /** Changes a state so that it is as strict as each of the two. By default takes the larger of each pair of longs. */
    default void stricter(long[] state, long[] other) {
        for (int i = 0; i < state.length; i++) {
            state[i] = Math.max(state[i], other[i]);
        }
    }

    /** Changes a state to the looser of two that are each strict enough. By default takes the smaller of each pair of longs. */
    default void looser(long[] state, long[] other) {
        for (int i = 0; i < state.length; i++) {
            state[i] = Math.min(state[i], other[i]);
        }
    }
}
