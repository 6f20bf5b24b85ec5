package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A leaky bucket as a meter, for policing: each permit fills the bucket by one, {@code permits} leak out per period, and a
 * request that does not fit is refused. The first permit always fits and {@code burst} more fit beside it, as in nginx's
 * {@code limit_req ... nodelay}: in any half-open window of length W at most {@code burst + 1 + floor(W * permits /
 * period)} permits are granted. It is the same as a {@link TokenBucket} of capacity {@code burst + 1}. To delay requests
 * instead of refusing them, see {@link Pacer}. J. Turner, "New directions in communications", IEEE Communications 24(10),
 * 1986.
 *
 * <pre>{@code
 * // 10 per second, evenly, and up to 5 more at once
 * Limiter login = Limiters.of("login", LeakyBucket.of(10, Duration.ofSeconds(1)).withBurst(5));
 * }</pre>
 *
 * <p>The limit is {@code permits}. A change takes effect at once, and what is in the bucket stays in it. {@code setLimit}
 * keeps the burst.
 *
 * @param permits permits that leak out per period, 1 to 2^60
 * @param period 1 ns to 73 years
 * @param burst permits that fit beside the first, 0 to 2^60 - 1; the largest request is one more
 */
public record LeakyBucket(long permits, Duration period, long burst) implements PartSpec {
    /** @throws IllegalArgumentException if a component is out of its range */
    public LeakyBucket {
        Check.within("permits", permits, 1, Check.MAX_PERMITS);
        Check.nanos("period", period);
        Check.within("burst", burst, 0, Check.MAX_PERMITS - 1);
    }

    /**
     * Without a burst: permits are granted one by one, never faster than the rate.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static LeakyBucket of(long permits, Duration period) {
        return new LeakyBucket(permits, period, 0);
    }

    /**
     * The same with another burst.
     *
     * @throws IllegalArgumentException if the burst is not 0 to 2^60 - 1
     */
    public LeakyBucket withBurst(long burst) {
        return new LeakyBucket(permits, period, burst);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return tokens().create(ticker);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return tokens().forMany(ticker, before);
    }

    @Override
    public boolean adjust(Strategy running) {
        return tokens().adjust(running);
    }

    private TokenBucket tokens() {
        return TokenBucket.of(permits, period).withCapacity(burst + 1);
    }
}
