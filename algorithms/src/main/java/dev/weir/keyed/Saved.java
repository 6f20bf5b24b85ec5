package dev.weir.keyed;

import org.jspecify.annotations.Nullable;

/** What is kept of an evicted key, by a {@link Rule}. */
final class Saved {
    /** The states of the rule's parts, one after the other. */
    final long[] states;

    /** By when what was granted before a change has refilled, for each part, since the rule began; null = it has. */
    final long @Nullable [] debts;

    Saved(long[] states, long @Nullable [] debts) {
        this.states = states;
        this.debts = debts;
    }
}
