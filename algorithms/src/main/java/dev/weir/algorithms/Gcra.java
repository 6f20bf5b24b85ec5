package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The generic cell rate algorithm: permits are due one by one at the emission interval {@code T = ceil(period / permits)},
 * in whole nanoseconds, and each may come up to {@code tolerance} early. In virtual scheduling, with the theoretical arrival
 * time TAT, n permits at t are granted if {@code max(t, TAT) + (n - 1) * T <= t + tolerance}, and then {@code TAT = max(t,
 * TAT) + n * T}. ITU-T I.371, annex A; ATM Forum UNI 3.1.
 *
 * <pre>{@code
 * // one per 100 ms, each up to 400 ms early
 * Limiter feed = Limiters.of("feed", Gcra.every(Duration.ofMillis(100), Duration.ofMillis(400)));
 * }</pre>
 *
 * <p>It is a {@link TokenBucket} with one token every T and of capacity {@code 1 + tolerance / T}, which need not be whole:
 * in any half-open window of length W at most {@code 1 + floor((W - 1 + tolerance) / T)} permits are granted, and {@code 1 +
 * floor(tolerance / T)} at once.
 *
 * <p>The limit is {@code permits}. A change takes effect at once, and used permits stay used. {@code setLimit} keeps the
 * tolerance in nanoseconds.
 *
 * @param permits permits per period, 1 to 2^60; the rate is rounded down if T is not a whole number of nanoseconds
 * @param period 1 ns to 18 years
 * @param tolerance 0 to 18 years
 */
public record Gcra(long permits, Duration period, Duration tolerance) implements PartSpec {
    private static final long MAX_NANOS = Check.MAX_PERMITS / 2;

    /** @throws IllegalArgumentException if a component is out of its range */
    public Gcra {
        Check.within("permits", permits, 1, Check.MAX_PERMITS);
        Check.nanos("period", period, 1, MAX_NANOS);
        Check.nanos("tolerance", tolerance, 0, MAX_NANOS);
    }

    /**
     * With the tolerance at which an idle limiter grants the permits of one period at once.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static Gcra of(long permits, Duration period) {
        Check.within("permits", permits, 1, Check.MAX_PERMITS);
        long interval = Rate.interval(permits, Check.nanos("period", period, 1, MAX_NANOS));
        return new Gcra(permits, period, Duration.ofNanos(period.toNanos() - interval));
    }

    /**
     * One permit per interval.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public static Gcra every(Duration interval, Duration tolerance) {
        return new Gcra(1, interval, tolerance);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return RateBucket.of(rate(), ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, @Nullable StrategySpec before) {
        return SharedBucketSpec.after(before, rate(), 0, ticker);
    }

    /** Adjusts the rate or the tolerance, unless more is used than the new tolerance grants at once. */
    @Override
    public boolean adjust(Strategy running) {
        return RateBucket.adjust(running, rate());
    }

    private Rate rate() {
        return Rate.of(Style.TOLERANT, permits, period.toNanos(), tolerance.toNanos());
    }
}
