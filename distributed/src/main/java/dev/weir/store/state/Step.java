package dev.weir.store.state;

import dev.weir.store.Reply;
import org.jspecify.annotations.Nullable;

/**
 * What an operation makes of a state. The array is not copied: nobody changes it.
 *
 * @param state what is to be stored; null = nothing has changed, so nothing is written
 * @param ttlMicros microseconds for which the new state differs from an absent one, and a margin of a millisecond; whole
 *     milliseconds; 0 if the state is null
 * @param reply the answer to the caller, once the state is stored
 */
@SuppressWarnings("ArrayRecordComponent") // a copy for each step would cost more than the step
public record Step(byte @Nullable [] state, long ttlMicros, Reply reply) {}
