package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;

/** A specification that knows nothing of other limits, as a part. */
record AuthorsSpec(StrategySpec spec) implements PartSpec {
    @Override
    public Class<?> kind() {
        return spec.getClass();
    }

    @Override
    public Strategy create(Ticker ticker) {
        return spec.create(ticker);
    }

    @Override
    public boolean adjust(Strategy running) {
        return spec.adjust(running instanceof AuthorsStrategy authors ? authors.strategy : running);
    }
}
