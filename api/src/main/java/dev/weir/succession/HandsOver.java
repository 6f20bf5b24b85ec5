package dev.weir.succession;

import dev.weir.spi.Strategy;
import org.jspecify.annotations.Nullable;

/** A concurrency limit whose successors can count the permits that it has in flight. */
public interface HandsOver extends Strategy {
    /** The counter of every permit that this limit has in flight; null if it has none. */
    @Nullable
    InFlight counter();

    /** The counter of a strategy; null if it has none. */
    static @Nullable InFlight counter(Strategy strategy) {
        return strategy instanceof HandsOver limit ? limit.counter() : null;
    }
}
