package dev.weir.algorithms;

import dev.weir.spi.StrategySpec;

/** A concurrency limit that can be adjusted to another limit at once, without its own being in force between. */
interface Resizable extends StrategySpec {
    long limit();

    /** The same with another limit. */
    @Override
    StrategySpec withLimit(long limit);
}
