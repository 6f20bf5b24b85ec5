package dev.weir.store.state;

import dev.weir.store.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of some calls for one key, one after the other.
 *
 * @param state null = they have changed nothing
 * @param replies one for each call; true once the state is stored
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ChainResult(byte @Nullable [] state, long ttlMicros, long atMicros, List<Reply> replies) {
    /** So much later than its instant a grant was stored at most. */
    static final long MOST_LAG_MICROS = 2_000_000;

    /** A rate, which tells what a call makes of a state. */
    @FunctionalInterface
    interface Steps {
        StateStep step(
                byte @Nullable [] state, Operation operation, long permits, long grantedAtMicros, long nowMicros);
    }

    static ChainResult of(Steps steps, byte @Nullable [] before, List<Ask> asks, long nowMicros) {
        byte[] state = before;
        byte[] changed = null;
        long ttl = 0;
        List<Reply> replies = new ArrayList<>(asks.size());
        for (Ask ask : asks) {
            StateStep step = steps.step(state, ask.operation(), ask.permits(), ask.grantedAt(), nowMicros);
            if (step.state() != null) {
                state = step.state();
                changed = state;
                ttl = step.ttlMicros();
            }
            replies.add(step.reply());
        }
        return new ChainResult(changed, ttl, nowMicros, replies);
    }

    boolean changesNothing() {
        return state == null;
    }

    /*
     * All absent values have the same version. A state outlives what it counts by as much as a replacement may be late:
     *
     *     late instance                     other instance
     *     finds none; sends its own,
     *     at this instant
     *                                       replaces, at a later instant
     *                                       what it counts ends, and it is removed
     *     its own arrives: there is none
     *
     * If the value is removed no sooner than this after what it counts has ended, that had ended at the instant of the late one too.
     */
    /** What is to be stored in place of this version; null if that stays as it is. */
    @Nullable
    Replacement replacement(String name, long version) {
        if (state == null) {
            return null;
        }
        long kept = Math.max(1, Math.min(ttlMicros, Replacement.FOREVER - MOST_LAG_MICROS)) + MOST_LAG_MICROS;
        return new Replacement(name, version, state, atMicros, kept);
    }
}
