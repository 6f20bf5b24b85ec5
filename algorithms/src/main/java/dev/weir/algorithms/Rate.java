package dev.weir.algorithms;

import dev.weir.Ticker;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a {@link RateBucket}, as a specification gives them; compared by value.
 *
 * @param style how permits arrive and are taken
 * @param permits permits per period: the limit
 * @param period nanoseconds
 * @param burst the most permits at once; the tolerance in nanoseconds with {@link Style#TOLERANT}
 * @param alignedTo batches arrive at multiples of the period on this clock; null = periods count from creation
 */
record Rate(
        Style style,
        long permits,
        long period,
        long burst,
        @Nullable InstantSource alignedTo) {
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    /** Nanoseconds: a slot of a paced rate that is taken no later than this leaves the next ones in place. */
    private static final long CATCH_UP = 10_000_000;

    /** The way in which permits arrive and are taken. */
    enum Style {
        /** One by one. */
        EVEN,
        /** One by one, at an interval of whole nanoseconds; the burst is a tolerance in nanoseconds. */
        TOLERANT,
        /** All together at the end of a period. */
        INTERVAL,
        /** All together at the end of a period; the bucket holds one batch, so the burst is the limit. */
        WINDOW,
        /**
         * One by one. A request waits for its first permit only and delays the next request by all permits it takes. A
         * permit that is taken late by less than {@link #lateSlots} intervals counts as taken on time; then it is lost.
         */
        PACED;

        boolean isPeriodic() {
            return this == INTERVAL || this == WINDOW;
        }

        boolean isSpaced() {
            return this == TOLERANT || this == PACED;
        }
    }

    static Rate of(Style style, long permits, long period, long burst) {
        return new Rate(style, permits, period, burst, null);
    }

    /** Nanoseconds from one permit to the next: {@code ceil(period / permits)}. */
    static long interval(long permits, long period) {
        return (period - 1) / permits + 1;
    }

    long interval() {
        return interval(permits, period);
    }

    /** The largest request. */
    long capacity() {
        return style == Style.TOLERANT ? 1 + burst / interval() : burst;
    }

    /** If paced, how many slots may be due at once, taken or not: those of the catch-up time, and one. */
    long lateSlots() {
        return style == Style.PACED ? CATCH_UP / interval() + 1 : 0;
    }

    /** The most permits that may be missing. If paced: all slots that may be due, and the largest request after them. */
    long maxMissing() {
        return capacity() + lateSlots();
    }

    /** The most permits at one instant. If paced, the last of the slots that are due may be a large request. */
    long most() {
        return style == Style.PACED ? capacity() + lateSlots() - 1 : capacity();
    }

    Rate withLimit(long limit) {
        return new Rate(style, limit, period, style == Style.WINDOW ? limit : burst, alignedTo);
    }

    RateArithmetic arithmetic() {
        return switch (style) {
            case EVEN -> RateArithmetic.even(permits, period, burst);
            case INTERVAL, WINDOW -> RateArithmetic.periodic(permits, period);
            case PACED -> RateArithmetic.even(1, interval(), maxMissing());
            case TOLERANT -> RateArithmetic.even(1, interval(), 1);
        };
    }

    /** True if a bucket of the old rate can continue at this rate, unless too many permits are missing from it. */
    boolean continues(Rate old) {
        return switch (style) {
            case EVEN, TOLERANT, PACED -> style == old.style;
            case INTERVAL -> equals(new Rate(old.style, old.permits, old.period, burst, null));
            case WINDOW -> equals(old.withLimit(permits));
        };
    }

    /** The reading of the ticker from which periods are counted. */
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
}
