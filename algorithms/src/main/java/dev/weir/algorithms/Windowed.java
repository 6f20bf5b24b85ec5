package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A strategy that remembers what was used in a window; another one can go on with that. */
interface Windowed extends Strategy {
    /** Permits used in the present window. */
    long used();

    /** Counts so many permits, at most the limit, as used now. */
    void use(long permits);

    /** A new window that goes on with what the running one has used, or owes what any other rate owes. */
    static Strategy following(Strategy running, StrategySpec spec, Ticker ticker) {
        Strategy next = spec.create(ticker);
        long used = running instanceof Windowed window ? window.used() : Bucket.usedOf(running);
        if (used >= 0 && next instanceof Windowed window) {
            window.use(used);
        } else {
            next.owe(running.debtNanos());
        }
        return next;
    }
}
