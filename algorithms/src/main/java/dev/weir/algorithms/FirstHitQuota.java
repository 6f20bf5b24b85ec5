package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.succession.EvictedState;
import dev.weir.succession.PartSpec;
import java.time.Duration;

/**
 * A quota whose window starts with its first use: {@code limit} permits may be taken at once or one by one, then none until
 * the window that the first one opened has ended. It suits a person who clicks ten times in a row better than an even rate,
 * and a refused request does not extend the window. At most {@code limit} permits are granted in each window, and {@code 2 *
 * limit - 1} in any half-open window of that length, where one window ends and the next begins.
 *
 * <pre>{@code
 * // five attempts, then none until 15 minutes after the first
 * Limiter otp = Limiters.of("otp", new FirstHitQuota(5, Duration.ofMinutes(15)));
 * }</pre>
 *
 * <p>A changed limit is in force at once; an open window stays open and what was used stays used. A window of which all
 * permits are refunded ({@code CANCELLED}) is closed. If other requests used it too it stays open; then a window of that
 * length across its end may grant {@code 2 * limit}.
 *
 * @param limit permits per window, 1 to 2^60; also the largest request
 * @param window 1 ns to 73 years
 */
public record FirstHitQuota(long limit, Duration window) implements PartSpec {
    /** @throws IllegalArgumentException if a component is out of its range */
    public FirstHitQuota {
        Check.within("limit", limit, 1, Check.MAX_PERMITS);
        Check.nanos("window", window);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new QuotaWindow(ticker, limit, window.toNanos());
    }

    /** Adjusts the limit; the window must be the same. */
    @Override
    public boolean adjust(Strategy running) {
        return running instanceof QuotaWindow quota && quota.adjusted(limit, window.toNanos());
    }

    @Override
    public FirstHitQuota withLimit(long limit) {
        return new FirstHitQuota(limit, window);
    }

    @Override
    public EvictedState evictedState(Ticker ticker) {
        return new QuotaWindow.Evicted(ticker, ticker.read(), limit, window.toNanos());
    }
}
