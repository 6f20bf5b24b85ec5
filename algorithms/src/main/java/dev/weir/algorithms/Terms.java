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
 * @param capacity the most permits it holds, and the largest request
 * @param style how permits arrive and are carried over
 * @param pace permits and period as arithmetic
 */
record Terms(Ticker ticker, long origin, long permits, long period, long capacity, Style style, Pace pace) {

    /** How permits arrive, are asked for, and what of them survives a change of terms. */
    enum Style {
        /** One by one; the permits that are there stay there. */
        EVEN,
        /** All at once at the end of a period; the permits that are there stay there. */
        BATCHED,
        /** All at once at the end of a period; the permits that were used stay used. */
        WINDOW,
        /** One by one; a request waits for one only and makes the next one wait for all it took. */
        PACED
    }

    static Terms of(Ticker ticker, long origin, long permits, long period, long capacity, Style style) {
        Pace pace = isBatched(style) ? Pace.batched(permits, period) : Pace.even(permits, period, capacity);
        return new Terms(ticker, origin, permits, period, capacity, style, pace);
    }

    /** The same terms counted from a later whole number of units on. */
    Terms from(long newOrigin) {
        return new Terms(ticker, newOrigin, permits, period, capacity, style, pace);
    }

    /** Another limit from the present instant on; windows keep their beat and are as large as the limit. */
    Terms withLimit(long limit) {
        long elapsed = ticker.read() - origin;
        if (style == Style.WINDOW) {
            return of(ticker, origin + pace.lastWhole(elapsed), limit, period, limit, style);
        }
        long beat = style == Style.BATCHED ? origin + pace.lastWhole(elapsed) : origin + elapsed;
        return of(ticker, beat, limit, period, capacity, style);
    }

    long capacityUnits() {
        return capacity * pace.unit;
    }

    boolean isBatched() {
        return isBatched(style);
    }

    private static boolean isBatched(Style style) {
        return style == Style.BATCHED || style == Style.WINDOW;
    }

    /** How many units may be missing for a request of so many permits to be granted. */
    long allowance(long asked) {
        return style == Style.PACED ? 0 : (capacity - asked) * pace.unit;
    }

    /** How many permits a full bucket grants at once. */
    private long tokens() {
        return style == Style.PACED ? 1 : capacity;
    }

    /**
     * The units missing from full under these terms, where {@code missing} units were missing under {@code old} ones.
     * Tokens that are there stay, cut to the new capacity; used permits of a window, and slots sold ahead, stay.
     */
    long carried(long missing, Terms old) {
        if (old.pace == pace && old.capacity == capacity) {
            return missing;
        }
        BigInteger inNewUnits = BigInteger.valueOf(missing)
                .multiply(BigInteger.valueOf(pace.unit))
                .add(BigInteger.valueOf(old.pace.unit - 1))
                .divide(BigInteger.valueOf(old.pace.unit));
        if (style != Style.WINDOW) {
            BigInteger moreTokens = BigInteger.valueOf(tokens() - old.tokens());
            inNewUnits = inNewUnits.add(moreTokens.multiply(BigInteger.valueOf(pace.unit)));
        }
        return inNewUnits
                .max(BigInteger.ZERO)
                .min(BigInteger.valueOf(Check.MOST))
                .longValue();
    }
}
