package dev.weir.store;

import dev.weir.spi.StrategySpec;

/** The factory of limiters that a store counts for all instances. Thread-safe. */
public interface Store {
    /**
     * A limiter.
     *
     * @throws IllegalArgumentException if the store cannot count such a limit, or not in this mode; the message says why
     */
    StoreLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway);
}
