package dev.weir.spi;

import dev.weir.Ticker;

/** A specification whose strategies have another limit set. */
record Limited(StrategySpec spec, long limit) implements StrategySpec {
    /** Which algorithm a specification is of. */
    static Class<?> kind(StrategySpec spec) {
        return spec instanceof Limited limited ? limited.spec.getClass() : spec.getClass();
    }

    @Override
    public Strategy create(Ticker ticker) {
        return set(spec.create(ticker));
    }

    private Strategy set(Strategy strategy) {
        if (strategy.limit() != limit) {
            strategy.setLimit(limit);
        }
        return strategy;
    }

    @Override
    public boolean adjust(Strategy running) {
        boolean adjusted = spec.adjust(running);
        if (adjusted) {
            set(running);
        }
        return adjusted;
    }

    @Override
    public StrategySpec withLimit(long other) {
        return spec.withLimit(other);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return spec.evictedState(ticker);
    }
}
