package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Rate.Style;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;

/**
 * The generic cell rate algorithm: permits are due one by one at the emission interval {@code T = ceil(period /
 * permits)}, in whole nanoseconds, and each may come earlier than due by up to {@code tolerance}. In virtual scheduling:
 * with the theoretical arrival time TAT, n permits at t are granted if {@code max(t, TAT) + (n - 1) * T <= t +
 * tolerance}, and then {@code TAT = max(t, TAT) + n * T}.
 *
 * <p>It is a {@link TokenBucket} of one token every T and of capacity {@code 1 + tolerance / T}, which need not be whole:
 * in any half-open window of length W at most {@code 1 + floor((W - 1 + tolerance) / T)} permits are granted, and {@code
 * 1 + floor(tolerance / T)} at once. ITU-T I.371, annex A; ATM Forum UNI 3.1.
 *
 * <p>The limit is {@code permits}. A change takes effect from that instant on, and the permits that were used stay used;
 * another limit by {@code setLimit} leaves the tolerance as it is, in nanoseconds.
 *
 * @param permits permits a period, 1 to 2^60; rounded down where T is not a whole number of nanoseconds
 * @param period 1 ns to 18 years
 * @param tolerance 0 to 18 years
 */
public record Gcra(long permits, Duration period, Duration tolerance) implements StrategySpec {
    private static final long LONGEST = Check.MOST / 2;

    /** Checks the components. */
    public Gcra {
        Check.within("permits", permits, 1, Check.MOST);
        Check.nanos("period", period, 1, LONGEST);
        Check.nanos("tolerance", tolerance, 0, LONGEST);
    }

    /** With the tolerance at which an idle limiter grants one period's permits at once. */
    public static Gcra of(long permits, Duration period) {
        Check.within("permits", permits, 1, Check.MOST);
        long distance = Rate.distance(permits, Check.nanos("period", period, 1, LONGEST));
        return new Gcra(permits, period, Duration.ofNanos(period.toNanos() - distance));
    }

    /** One permit every so often. */
    public static Gcra every(Duration interval, Duration tolerance) {
        return new Gcra(1, interval, tolerance);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return rate().create(ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return rate().forMany(ticker, 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker, StrategySpec before) {
        return rate().forMany(ticker, 0, before);
    }

    /** Another rate or tolerance, if no more is used than is granted at once by it. */
    @Override
    public boolean adjust(Strategy running) {
        return rate().adjust(running);
    }

    private Rate rate() {
        return Rate.of(Style.TOLERANT, permits, period.toNanos(), tolerance.toNanos());
    }
}
