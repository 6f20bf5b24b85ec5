package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A specification for a great many buckets, which share their terms. */
final class Alike implements StrategySpec {
    private final Rate rate;
    private final long missing;
    private volatile Terms terms;

    /** Buckets made by these terms with so many permits missing. */
    Alike(Rate rate, Terms terms, long missing) {
        this.rate = rate;
        this.terms = terms;
        this.missing = missing;
    }

    /* Terms are renewed long before a new bucket would find them too old to count by; racing renewals are all good. */
    @Override
    public Strategy create(Ticker ticker) {
        Terms shared = terms;
        long now = ticker.read();
        long elapsed = now - shared.origin;
        if (elapsed < 0 || elapsed > shared.pace.maxElapsed / 2) {
            shared = shared.countedFrom(elapsed);
            terms = shared;
        }
        return new Bucket(shared, missing, now - shared.origin);
    }

    @Override
    public boolean adjust(Strategy running) {
        return rate.adjust(running);
    }
}
