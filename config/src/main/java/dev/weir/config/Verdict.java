package dev.weir.config;

/**
 * The answer to whether a document follows the one in force.
 *
 * @param text the rule that it breaks or that holds it; of one that is taken, what is unusual about it; empty = nothing
 */
record Verdict(Kind kind, String text) {
    /** The kinds of answers. */
    enum Kind {
        TAKEN,
        REFUSED,
        HELD,
        /** Held until it has stayed at the source for {@link DocumentOrder#STAY}. */
        RESTING
    }
}
