package dev.weir.algorithms;

import dev.weir.Ticker;
import java.math.BigInteger;

/**
 * What a {@link Bucket} counts by: shared by all buckets of one specification, replaced as a whole.
 *
 * @param ticker the time
 * @param origin the reading at which the counting of elapsed time starts
 * @param permits permits a period: the limit
 * @param period nanoseconds
 * @param capacity the largest request, in permits
 * @param full the most units it holds
 * @param style how permits arrive and are carried over
 * @param pace permits and period as arithmetic
 */
record Terms(Ticker ticker, long origin, long permits, long period, long capacity, long full, Style style, Pace pace) {

    /** How permits arrive, are asked for, and what of them survives a change of terms. */
    enum Style {
        /** One by one; the permits that are there stay there. */
        EVEN,
        /** As {@link #EVEN}, at a distance of whole nanoseconds; the burst is a tolerance in nanoseconds. */
        TOLERANT,
        /** All at once at the end of a period; the permits that are there stay there. */
        BATCHED,
        /** All at once at the end of a period; the permits that were used stay used. */
        WINDOW,
        /** One by one; a request waits for one only and makes the next one wait for all it took. */
        PACED;

        boolean isBatched() {
            return this == BATCHED || this == WINDOW;
        }
    }

    static Terms of(Ticker ticker, long origin, long permits, long period, long capacity, Style style) {
        Pace pace = switch (style) {
            case EVEN -> Pace.even(permits, period, capacity);
            case BATCHED, WINDOW -> Pace.batched(permits, period);
            case PACED -> Pace.even(1, distance(permits, period), capacity);
            case TOLERANT -> throw new IllegalArgumentException("tolerance is in nanoseconds");
        };
        return new Terms(ticker, origin, permits, period, capacity, capacity * pace.unit, style, pace);
    }

    /** Permits at a distance of whole nanoseconds, each of which may come earlier by the tolerance. */
    static Terms tolerant(Ticker ticker, long origin, long permits, long period, long tolerance) {
        long distance = distance(permits, period);
        long full = distance + tolerance;
        Pace pace = Pace.even(1, distance, 1);
        return new Terms(ticker, origin, permits, period, full / distance, full, Style.TOLERANT, pace);
    }

    /** Nanoseconds from one permit to the next, rounded up. */
    static long distance(long permits, long period) {
        return (period - 1) / permits + 1;
    }

    private Terms from(long newOrigin) {
        return new Terms(ticker, newOrigin, permits, period, capacity, full, style, pace);
    }

    /**
     * The same terms counted from later on: from the last instant at which a whole number of units had arrived. From
     * the present one if the clock ran back before the start, but batches keep their beat.
     */
    Terms countedFrom(long elapsed) {
        return from(origin + (elapsed > 0 || style.isBatched() ? pace.lastWhole(elapsed) : elapsed));
    }

    /** Another limit from the present instant on; windows are as large as the limit. */
    Terms withLimit(long limit) {
        long now = ticker.read();
        Terms next = style == Style.TOLERANT
                ? tolerant(ticker, now, limit, period, full - pace.unit)
                : of(ticker, now, limit, period, style == Style.WINDOW ? limit : capacity, style);
        return next.after(this);
    }

    /** These terms in succession to others: periods of the same length keep their beat. */
    Terms after(Terms old) {
        boolean sameBeat = style.isBatched() && old.style.isBatched() && period == old.period;
        long beat = sameBeat ? old.origin + old.pace.lastWhole(origin - old.origin) : origin;
        return remembering(old).from(beat);
    }

    /* A window brings back all that may have been used in it, under whichever limit. */
    Terms remembering(Terms old) {
        if (style != Style.WINDOW || old.style != Style.WINDOW) {
            return this;
        }
        Pace wide = Pace.batched(Math.max(permits, old.pace.scale), period);
        return new Terms(ticker, origin, permits, period, capacity, full, style, wide);
    }

    boolean covers(long elapsed) {
        return elapsed >= 0 && elapsed <= pace.maxElapsed;
    }

    /** How many units may be missing for a request of so many permits to be granted. */
    long allowance(long asked) {
        return style == Style.PACED ? 0 : full - asked * pace.unit;
    }

    /** The units missing under these terms, where so many were missing under old ones: what was used stays used. */
    long carried(long missing, Terms old) {
        if (old.pace.unit == pace.unit) {
            return missing;
        }
        BigInteger[] now = BigInteger.valueOf(missing)
                .multiply(BigInteger.valueOf(pace.unit))
                .divideAndRemainder(BigInteger.valueOf(old.pace.unit));
        BigInteger up = now[1].signum() > 0 ? now[0].add(BigInteger.ONE) : now[0];
        return up.min(BigInteger.valueOf(2 * Check.MOST)).longValue();
    }
}
