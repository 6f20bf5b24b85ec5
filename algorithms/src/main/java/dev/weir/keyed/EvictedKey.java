package dev.weir.keyed;

import org.jspecify.annotations.Nullable;

/** The state of an evicted key, as {@link KeyStates} writes it. */
final class EvictedKey {
    /** The states of the rule's parts, one after the other. */
    final long[] states;

    /** For each part, when a debt from before a change has refilled, in nanoseconds of the rule; null if there is none. */
    final long @Nullable [] debts;

    EvictedKey(long[] states, long @Nullable [] debts) {
        this.states = states;
        this.debts = debts;
    }
}
