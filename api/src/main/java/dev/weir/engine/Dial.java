package dev.weir.engine;

import dev.weir.Adjustable;
import dev.weir.spi.Strategy;

/** Sets the limit of one strategy. Stale, and without effect, once that strategy has been replaced. */
final class Dial implements Adjustable {
    private final Engine engine;
    private final Strategy strategy;
    private final Object era;

    Dial(Engine engine, Slot slot) {
        this.engine = engine;
        this.strategy = slot.strategy;
        this.era = slot.era;
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
        engine.turn(strategy, era, limit, why);
    }

    @Override
    public boolean stale() {
        return engine.isStale(era);
    }
}
