package dev.weir.algorithms;

import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;

/** A concurrency limit that can be adjusted to another limit directly, without putting its own limit in force. */
interface Resizable extends PartSpec {
    long limit();

    @Override
    StrategySpec withLimit(long limit);
}
