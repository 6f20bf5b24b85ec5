package dev.weir.algorithms;

import dev.weir.spi.Strategy;

/** A rate that remembers what was used in a window; another one can go on with that. */
interface Windowed extends Strategy {
    /** Permits used in the present window. */
    long used();

    /** Counts so many permits, at most the limit, as used now. */
    void use(long permits);

    @Override
    default boolean holds() {
        return false;
    }

    /** This new window, going on with what the running one has used, or owing what any other rate owes. */
    default Strategy after(Strategy running) {
        long used = running instanceof Windowed window ? window.used() : Bucket.usedOf(running);
        if (used >= 0) {
            use(used);
        } else {
            owe(running.debtNanos());
        }
        return this;
    }
}
