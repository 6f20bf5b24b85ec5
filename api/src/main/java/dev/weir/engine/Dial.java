package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.spi.Strategy;

/**
 * The {@link Adjustable} of one strategy, whose limit it sets. Stale, and without effect, once that strategy has been
 * replaced.
 */
final class Dial implements Adjustable {
    private final Engine engine;
    private final Strategy strategy;
    private final Object generation;

    Dial(Engine engine, ActiveStrategy active) {
        this.engine = engine;
        this.strategy = active.strategy;
        this.generation = active.generation;
    }

    @Override
    public long limit() {
        return strategy.limit();
    }

    @Override
    public void setLimit(long limit) {
        setLimit(limit, "dial");
    }

    @Override
    public void setLimit(long limit, String why) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be >= 1, was " + limit);
        }
        engine.setLimit(strategy, generation, limit, why);
    }

    @Override
    public boolean stale() {
        return engine.isStale(generation);
    }
}
