package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.algorithms.Terms.Style;
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
 * <p>The limit is {@code permits}. A change takes effect from that instant on: the permits that could be had at once
 * stay, cut to the new tolerance; turning the dial leaves the tolerance as it is, in nanoseconds.
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
        long distance = Terms.distance(permits, Check.nanos("period", period, 1, LONGEST));
        return new Gcra(permits, period, Duration.ofNanos(period.toNanos() - distance));
    }

    /** One permit every so often. */
    public static Gcra every(Duration interval, Duration tolerance) {
        return new Gcra(1, interval, tolerance);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Bucket(terms(ticker), 0);
    }

    @Override
    public StrategySpec forMany(Ticker ticker) {
        return new Alike(terms(ticker), 0);
    }

    @Override
    public boolean adjust(Strategy running) {
        return Bucket.adjusted(
                running, Style.TOLERANT, old -> terms(old.ticker()).after(old));
    }

    private Terms terms(Ticker ticker) {
        return Terms.tolerant(ticker, ticker.read(), permits, period.toNanos(), tolerance.toNanos());
    }
}
