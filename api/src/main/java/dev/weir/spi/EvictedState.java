package dev.weir.spi;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * How what a strategy has granted is kept in a few longs while the strategy itself is not: for a table of more keys than
 * it has room for. A state that is all zero is that of a strategy that has granted nothing. Several keys may share one
 * state, so states are combined; none that is read is ever looser than one that was written. Thread-safe.
 */
public interface EvictedState {
    /** The longs of one state. 0 = there is nothing to keep: strategies are evicted only with nothing in flight. */
    int longs();

    /**
     * Writes the state of a strategy that is asked no more, without what it owes from before a change.
     *
     * @param state all zero
     * @return false if it does not fit; {@link Strategy#used()} is then kept beside it
     */
    boolean write(Strategy evicted, long[] state);

    /**
     * Gives a strategy that was just created what is left of a state.
     *
     * @return the strategy, or one around it
     */
    Strategy read(long[] state, Strategy fresh);

    /** Whether a state that was written some time ago has become that of a strategy that has granted nothing. */
    boolean isFree(long[] state);

    /** Makes a state as strict as each of the two. By default takes the larger of each two longs. */
    default void stricter(long[] state, long[] other) {
        for (int i = 0; i < state.length; i++) {
            state[i] = Math.max(state[i], other[i]);
        }
    }

    /** Makes a state as loose as can be where each of the two is too strict. By default takes the smaller. */
    default void looser(long[] state, long[] other) {
        for (int i = 0; i < state.length; i++) {
            state[i] = Math.min(state[i], other[i]);
        }
    }

    /** In how many nanoseconds so many permits refill steadily, rounded up; saturates. */
    static long nanosUntilRefilled(long permits, @Nullable RefillRate flow) {
        if (permits <= 0 || flow == null) {
            return 0;
        }
        BigInteger nanos = BigInteger.valueOf(permits)
                .multiply(BigInteger.valueOf(flow.period()))
                .add(BigInteger.valueOf(flow.permits() - 1))
                .divide(BigInteger.valueOf(flow.permits()));
        return nanos.bitLength() > 61 ? 1L << 61 : nanos.longValue();
    }
}
