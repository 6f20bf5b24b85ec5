package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.Store;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import java.util.Objects;

/**
 * The {@link Store} of a server: limits that Redis counts.
 *
 * @param redis stays open
 */
public record RedisStore(Redis redis) implements Store {
    /** Checks the component. */
    public RedisStore {
        Objects.requireNonNull(redis, "redis");
    }

    @Override
    public StoreLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway) {
        return RedisLimiters.of(name, spec, redis, whenAway, options -> options.mode(mode));
    }
}
