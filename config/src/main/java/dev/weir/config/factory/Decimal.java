package dev.weir.config.factory;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of decimal numbers: {@code -}, digits without a leading zero, a point and digits. Nothing else. What is not a number
 * ends with a {@code NumberFormatException} without message.
 */
final class Decimal {
    private static final String NUMBER = "(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?)";
    private static final Pattern WITH_UNIT = Pattern.compile(NUMBER + "(.*)", Pattern.DOTALL);
    private static final Pattern WITH_EXPONENT = Pattern.compile(NUMBER + "([eE][+-]?[0-9]{1,3})?");
    private static final Pattern PADDED = Pattern.compile("-?0[0-9].*", Pattern.DOTALL);

    private Decimal() {}

    static BigDecimal of(String text) {
        return withUnit(text, Map.of("", BigDecimal.ONE));
    }

    /** The number times its unit. */
    static BigDecimal withUnit(String text, Map<String, BigDecimal> units) {
        Matcher number = WITH_UNIT.matcher(text);
        BigDecimal unit = number.matches() ? units.get(number.group(2)) : null;
        if (unit == null) {
            throw notANumber(text);
        }
        return new BigDecimal(number.group(1)).multiply(unit);
    }

    /** Refuses what is not a number, which may have an exponent. */
    static void checkNumber(String text) {
        if (!WITH_EXPONENT.matcher(text).matches()) {
            throw notANumber(text);
        }
    }

    private static IllegalArgumentException notANumber(String text) {
        return PADDED.matcher(text).matches()
                ? new IllegalArgumentException("must be a number without zeros before it")
                : new NumberFormatException();
    }
}
