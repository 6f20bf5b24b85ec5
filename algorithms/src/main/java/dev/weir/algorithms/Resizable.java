package dev.weir.algorithms;

import dev.weir.spi.StrategySpec;

/**
 * A specification that can be put in force with another limit at once, without its own being in force for the instant
 * between.
 */
interface Resizable extends StrategySpec {
    /** The same with another limit. */
    StrategySpec withLimit(long limit);
}
