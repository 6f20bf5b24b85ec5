package dev.weir.redis;

import dev.weir.distributed.ClusterLimiter;
import dev.weir.distributed.ClusterLimits;
import dev.weir.distributed.Mode;
import dev.weir.distributed.WhenAway;
import dev.weir.spi.StrategySpec;
import java.util.Objects;

/**
 * The {@link ClusterLimits} of a server: limits that Redis counts.
 *
 * @param redis stays open
 */
public record RedisClusterLimits(Redis redis) implements ClusterLimits {
    /** Checks the component. */
    public RedisClusterLimits {
        Objects.requireNonNull(redis, "redis");
    }

    @Override
    public ClusterLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway) {
        return RedisLimiters.of(name, spec, redis, whenAway, options -> options.mode(mode));
    }
}
