package dev.weir.store.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that decides calls, one after the other, and computes what they make of a value. It has no state and no clock.
 *
 * @param <C> a call
 * @param <R> its answer
 */
@FunctionalInterface
public interface ValueRule<C, R> {
    /**
     * Decides calls.
     *
     * @param state null = there is none
     * @param nowMicros an instant that the store's clock has reached
     */
    Result<R> decide(byte @Nullable [] state, List<Timed<C>> calls, long nowMicros);

    /**
     * A call, and how late it may be.
     *
     * @param marginMicros so much later than the instant of the decision the call was made, at most, by the store's clock: what it is to
     *     have for a time from the call on, it has for this longer; at least 0
     */
    record Timed<C>(C call, long marginMicros) {}

    /**
     * The result of some calls.
     *
     * @param state null = they have changed nothing
     * @param ttlMicros after which the answers of no state would be the same; 1 to {@link Replacement#FOREVER}
     * @param answers one for each call; true once the state is stored
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Result<R>(byte @Nullable [] state, long ttlMicros, List<R> answers) {}
}
