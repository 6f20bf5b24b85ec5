package dev.weir.store.rates;

import dev.weir.Ticker;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.internal.Require;
import dev.weir.spi.Strategy;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.Objects;

/**
 * A leaky bucket with a ban: the first request that does not fit is refused, and all requests after it for the given time.
 * Requests during that time do not extend it. A store bans a key on all instances at once; a local strategy bans within this
 * instance.
 *
 * <pre>{@code
 * // five attempts, one more each minute; a key that tries more often is refused for ten minutes
 * new Ban(LeakyBucket.of(1, Duration.ofMinutes(1)).withBurst(4), Duration.ofMinutes(10))
 * }</pre>
 *
 * <p>It cannot be batched: taking permits in advance would ban a key that has not asked for too many.
 *
 * <p>A request for more permits than the bucket can ever hold is refused and bans nothing. A change to another
 * ban ends none in a store, one to another rule ends all; a local strategy is replaced, and its ban ends.
 *
 * @param limit what a key may use without being banned
 * @param time 1 ns to 73 years
 */
public record Ban(LeakyBucket limit, Duration time) implements PartSpec {
    private static final Duration MAX = Duration.ofNanos(1L << 61);

    /**
     * @throws IllegalArgumentException if the time is out of its range
     * @throws NullPointerException if an argument is null
     */
    public Ban {
        Objects.requireNonNull(limit, "limit");
        boolean isInRange = !time.isNegative() && !time.isZero() && time.compareTo(MAX) <= 0;
        Require.that(isInRange, "time must be >= PT0.000000001S and <= " + MAX, time);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new LocalBan(Parts.create(limit, ticker), ticker, time.toNanos());
    }

    /** Keeps the end of a ban, beside what the bucket has used. */
    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new LocalBan.Evicted(ticker, ticker.read());
    }
}
