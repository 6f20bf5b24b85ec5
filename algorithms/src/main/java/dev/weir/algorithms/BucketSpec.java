package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.StrategySpec;

/** A specification of buckets, of which many can share their parameters. */
interface BucketSpec extends StrategySpec {
    @Override
    default StrategySpec forMany(Ticker ticker) {
        return forMany(ticker, this);
    }

    @Override
    StrategySpec forMany(Ticker ticker, StrategySpec before);
}
