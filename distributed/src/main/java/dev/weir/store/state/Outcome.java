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
record Outcome(byte @Nullable [] state, long ttlMicros, long atMicros, List<Reply> replies) {
    /** A rate, which tells what a call makes of a state. */
    @FunctionalInterface
    interface Steps {
        Step step(byte @Nullable [] state, Operation operation, long permits, long grantedAtMicros, long nowMicros);
    }

    static Outcome of(Steps steps, byte @Nullable [] before, List<Ask> asks, long nowMicros) {
        byte[] state = before;
        byte[] changed = null;
        long ttl = 0;
        List<Reply> replies = new ArrayList<>(asks.size());
        for (Ask ask : asks) {
            Step step = steps.step(state, ask.operation(), ask.permits(), ask.grantedAt(), nowMicros);
            if (step.state() != null) {
                state = step.state();
                changed = state;
                ttl = step.ttlMicros();
            }
            replies.add(step.reply());
        }
        return new Outcome(changed, ttl, nowMicros, replies);
    }

    boolean changesNothing() {
        return state == null;
    }

    /** What is to be stored in place of this version; null if that stays as it is. */
    @Nullable
    Replacement replacement(String name, long version) {
        return state == null
                ? null
                : new Replacement(
                        name, version, state, atMicros, Math.min(Math.max(1, ttlMicros), Replacement.FOREVER));
    }
}
