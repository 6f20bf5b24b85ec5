package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;

/**
 * A leaky bucket as a meter, for policing: a request is poured in if it fits and refused if not, and the bucket leaks
 * {@code permits} a period. The first permit is free and {@code burst} more fit beside it, as in nginx's {@code
 * limit_req ... nodelay}: in any half-open window of length W at most {@code burst + 1 + floor(W * permits / period)} are
 * granted. It is the mirror image of a {@link TokenBucket} of capacity {@code burst + 1}; to shape instead of refusing,
 * see {@link Pacer}. J. Turner, "New directions in communications", IEEE Communications 24(10), 1986.
 *
 * <p>The limit is {@code permits}. A change takes effect from that instant on, and what is in the bucket stays in it;
 * another limit by {@code setLimit} leaves the burst as it is.
 *
 * @param permits what leaks a period, 1 to 2^60
 * @param period 1 ns to 73 years
 * @param burst permits that fit beside the first, 0 to 2^60 - 1; the largest request is one more
 */
public record LeakyBucket(long permits, Duration period, long burst) implements StrategySpec {
    /** Checks the components. */
    public LeakyBucket {
        Check.within("permits", permits, 1, Check.MOST);
        Check.nanos("period", period);
        Check.within("burst", burst, 0, Check.MOST - 1);
    }

    /** Without a burst: one by one, never closer than the rate. */
    public static LeakyBucket of(long permits, Duration period) {
        return new LeakyBucket(permits, period, 0);
    }

    /** The same with another burst. */
    public LeakyBucket withBurst(long burst) {
        return new LeakyBucket(permits, period, burst);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return mirrored().create(ticker);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return mirrored().forMany(ticker);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return mirrored().forMany(ticker, before);
    }

    @Override
    public boolean adjust(Strategy running) {
        return mirrored().adjust(running);
    }

    private TokenBucket mirrored() {
        return TokenBucket.of(permits, period).withCapacity(burst + 1);
    }
}
