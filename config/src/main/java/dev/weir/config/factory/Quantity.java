package dev.weir.config.factory;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of decimal numbers with units: {@code -}, digits without a leading zero, a point and digits, and a unit. Nothing else.
 * What is not a number ends with a {@code NumberFormatException} without message.
 */
final class Quantity {
    private static final String NUMBER = "(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?)";
    private static final Pattern WITH_UNIT = Pattern.compile(NUMBER + "(.*)", Pattern.DOTALL);
    private static final Pattern WITH_EXPONENT = Pattern.compile(NUMBER + "([eE][+-]?[0-9]{1,3})?");
    private static final Pattern PADDED = Pattern.compile("-?0[0-9].*", Pattern.DOTALL);

    private static final String TOO_LONG = "must be a duration of at most 292 years";
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private static final Map<String, BigDecimal> NONE = units(1, "");
    private static final Map<String, BigDecimal> COUNTS = units(1, "", 1e3, "k K", 1e6, "M", 1e9, "G");
    private static final Map<String, BigDecimal> SIZES = units(
            1, "", 1, "B", 1e3, "kB KB", 1e6, "MB", 1e9, "GB", 1e12, "TB", 0x1p10, "KiB", 0x1p20, "MiB", 0x1p30, "GiB",
            0x1p40, "TiB");
    private static final Map<String, BigDecimal> NANOS =
            units(1, "ns", 1e3, "us µs", 1e6, "ms", 1e9, "s", 60e9, "m min", 3600e9, "h", 86_400e9, "d");

    private Quantity() {}

    /** By their names: pairs of a factor, which is whole, and the names of its unit. */
    private static Map<String, BigDecimal> units(Object... factors) {
        Map<String, BigDecimal> units = new HashMap<>();
        for (int i = 0; i < factors.length; i += 2) {
            BigDecimal factor = BigDecimal.valueOf(((Number) factors[i]).longValue());
            for (String name : factors[i + 1].toString().split(" ", -1)) {
                units.put(name, factor);
            }
        }
        return units;
    }

    static BigDecimal plain(String text) {
        return of(text, NONE);
    }

    static BigDecimal count(String text) {
        return of(text, COUNTS);
    }

    /** With a unit of sizes, such as {@code KiB}, in bytes. */
    static BigDecimal size(String text) {
        return of(text, SIZES);
    }

    private static BigDecimal of(String text, Map<String, BigDecimal> units) {
        Matcher number = WITH_UNIT.matcher(text);
        BigDecimal unit = number.matches() ? units.get(number.group(2)) : null;
        if (unit == null) {
            throw notANumber(text);
        }
        return new BigDecimal(number.group(1)).multiply(unit);
    }

    static double exponential(String text) {
        if (!WITH_EXPONENT.matcher(text).matches()) {
            throw notANumber(text);
        }
        return Double.parseDouble(text);
    }

    private static IllegalArgumentException notANumber(String text) {
        return PADDED.matcher(text).matches()
                ? new IllegalArgumentException("must be a number without zeros before it")
                : new NumberFormatException();
    }

    /** A number with a unit of time such as {@code 200ms}, or ISO-8601 such as {@code PT0.2S}. */
    static Duration duration(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Duration duration = text.matches("(?s)-?[pP].*") ? iso(text) : withUnit(text);
        if (duration.compareTo(LONGEST) > 0 || duration.compareTo(LONGEST.negated()) < 0) {
            throw new IllegalArgumentException(TOO_LONG);
        }
        return duration;
    }

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeException e) {
            throw (NumberFormatException) new NumberFormatException().initCause(e);
        }
    }

    private static Duration withUnit(String text) {
        BigDecimal nanos = of(text, NANOS);
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
