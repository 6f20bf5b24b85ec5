package dev.weir.algorithms;

import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a specification says of a {@link Bucket}; compared by value.
 *
 * @param style how permits arrive and are asked for
 * @param permits permits a period: the limit
 * @param period nanoseconds
 * @param burst the most permits at once; with {@link Style#TOLERANT} the tolerance in nanoseconds
 * @param alignedTo the clock at whose multiples of the period batches arrive; null = counted from the creation
 */
record Rate(
        Style style,
        long permits,
        long period,
        long burst,
        @Nullable InstantSource alignedTo) {
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    /** How permits arrive and are asked for. */
    enum Style {
        /** One by one. */
        EVEN,
        /** One by one, at a distance of whole nanoseconds; the burst is a tolerance in nanoseconds. */
        TOLERANT,
        /** All at once at the end of a period. */
        BATCHED,
        /** All at once at the end of a period, and all there are; so the burst is the limit. */
        WINDOW,
        /**
         * One by one; a request waits for its first only and makes the next one wait for all it took. As much as one may
         * be taken late: less than that, and it counts as taken on time; else it is lost.
         */
        PACED;

        boolean isBatched() {
            return this == BATCHED || this == WINDOW;
        }

        boolean isSpaced() {
            return this == TOLERANT || this == PACED;
        }
    }

    static Rate of(Style style, long permits, long period, long burst) {
        return new Rate(style, permits, period, burst, null);
    }

    /** Nanoseconds from one permit to the next, rounded up. */
    static long distance(long permits, long period) {
        return (period - 1) / permits + 1;
    }

    long distance() {
        return distance(permits, period);
    }

    /** The largest request. */
    long capacity() {
        return style == Style.TOLERANT ? 1 + burst / distance() : burst;
    }

    /** The most that may be missing: of a paced rate a slot that was taken late, and the largest request after it. */
    long most() {
        return style == Style.PACED ? burst + 1 : capacity();
    }

    Rate withLimit(long limit) {
        return new Rate(style, limit, period, style == Style.WINDOW ? limit : burst, alignedTo);
    }

    Pace pace() {
        return switch (style) {
            case EVEN -> Pace.even(permits, period, burst);
            case BATCHED, WINDOW -> Pace.batched(permits, period);
            case PACED -> Pace.even(1, distance(), most());
            case TOLERANT -> Pace.even(1, distance(), 1);
        };
    }

    /** Whether a bucket of the other rate can go on by this one with what is missing from it, if that is not too much. */
    boolean continues(Rate old) {
        return switch (style) {
            case EVEN, TOLERANT, PACED -> style == old.style;
            case BATCHED -> equals(new Rate(old.style, old.permits, old.period, burst, null));
            case WINDOW -> equals(old.withLimit(permits));
        };
    }

    /** The reading at which periods begin to be counted. */
    long origin(Ticker ticker) {
        long now = ticker.read();
        return alignedTo == null ? now : now - sinceMultiple(alignedTo.instant(), period);
    }

    private static long sinceMultiple(Instant now, long period) {
        return BigInteger.valueOf(now.getEpochSecond())
                .multiply(SECOND)
                .add(BigInteger.valueOf(now.getNano()))
                .mod(BigInteger.valueOf(period))
                .longValue();
    }

    /** A bucket with so many permits missing from full. */
    Bucket create(Ticker ticker, long missing) {
        return new Bucket(Terms.of(this, ticker), missing, 0);
    }

    /** The specification of a great many buckets, which share their terms. */
    StrategySpec forMany(Ticker ticker, long missing) {
        return Alike.of(this, missing, ticker);
    }

    /** The same in succession to another one. */
    StrategySpec forMany(Ticker ticker, long missing, StrategySpec before) {
        return Alike.after(before, this, missing, ticker);
    }

    /** Adjusts a running bucket to this rate, if it can go on with all that it has granted. */
    boolean adjust(Strategy running) {
        return Objects.requireNonNull(running) instanceof Bucket bucket && bucket.adjusted(this);
    }
}
