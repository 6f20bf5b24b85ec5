package dev.weir.algorithms;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import java.time.Duration;

class TokenBucketTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return TokenBucket.of(limit, Duration.ofSeconds(1));
    }

    @Override
    protected long mostWithin(long windowNanos, long limit) {
        return limit + windowNanos * limit / 1_000_000_000L;
    }
}
