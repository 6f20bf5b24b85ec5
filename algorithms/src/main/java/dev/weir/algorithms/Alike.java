package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A specification for a great many buckets, which share their terms. */
final class Alike implements StrategySpec {
    private final StrategySpec one;
    private final long missing;
    private volatile Terms terms;

    /** Buckets made by these terms with so many permits missing; each is succeeded as {@code one} does it. */
    Alike(StrategySpec one, Terms terms, long missing) {
        this.one = one;
        this.terms = terms;
        this.missing = missing;
    }

    @Override
    public Strategy create(Ticker ticker) {
        return Bucket.begun(present(ticker), missing);
    }

    /* Terms are renewed long before a new bucket would find them too old to count by; racing renewals are all good. */
    private Terms present(Ticker ticker) {
        Terms shared = terms;
        long elapsed = ticker.read() - shared.origin();
        if (elapsed < 0 || elapsed > shared.pace().maxElapsed / 2) {
            shared = shared.countedFrom(elapsed);
            terms = shared;
        }
        return shared;
    }

    @Override
    public boolean adjust(Strategy running) {
        return one.adjust(running);
    }
}
