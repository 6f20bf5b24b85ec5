package dev.weir.distributed;

import dev.weir.spi.StrategySpec;

/** The factory of limiters that a store counts for all instances. Thread-safe. */
public interface ClusterLimits {
    /**
     * A limiter.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit, or not in this mode; the message says why
     */
    ClusterLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway);
}
