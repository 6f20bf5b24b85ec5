package dev.weir.config.factory;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;

/** A parser of durations in documents: a number with a unit such as {@code 200ms}, or ISO-8601 such as {@code PT0.2S}. */
final class DurationText {

    private static final String TOO_LONG = "must be a duration of at most 292 years";
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private DurationText() {}

    static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Duration duration = isIso(text) ? iso(text) : withUnit(text);
        if (duration.compareTo(LONGEST) > 0 || duration.compareTo(LONGEST.negated()) < 0) {
            throw new IllegalArgumentException(TOO_LONG);
        }
        return duration;
    }

    private static boolean isIso(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        return text.length() > start && Character.toUpperCase(text.charAt(start)) == 'P';
    }

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeException e) {
            throw (NumberFormatException) new NumberFormatException().initCause(e);
        }
    }

    private static Duration withUnit(String text) {
        BigDecimal nanos = Decimal.withUnit(text, Unit.TIMES);
        if (nanos.stripTrailingZeros().scale() > 0) {
            throw new IllegalArgumentException("must be a whole number of nanoseconds");
        }
        try {
            return Duration.ofNanos(nanos.longValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(TOO_LONG, e);
        }
    }
}
