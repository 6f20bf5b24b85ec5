package dev.weir.config.factory;

import dev.weir.spi.StrategySpec;

/**
 * A factory of an algorithm, with its name in documents: the value of {@code algorithm}. A limit without {@code algorithm} has
 * the default of its first field: {@code concurrency} is a semaphore, {@code rate} a token bucket.
 */
public interface StrategyFactory extends Factory<StrategySpec> {}
