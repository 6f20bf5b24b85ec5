package dev.weir.config.factory;

import java.math.BigDecimal;
import java.util.Map;

/**
 * A parser of decimal numbers: {@code -}, digits without a leading zero, a point and digits. Nothing else. What is not a number
 * ends with a {@code NumberFormatException} without message.
 */
final class Decimal {
    private static final int MAX_EXPONENT_DIGITS = 3;

    private Decimal() {}

    static BigDecimal of(String text) {
        return withUnit(text, Map.of("", BigDecimal.ONE));
    }

    /** The number times its unit. */
    static BigDecimal withUnit(String text, Map<String, BigDecimal> units) {
        int end = end(text);
        BigDecimal unit = units.get(text.substring(end));
        if (end == 0 || unit == null) {
            throw notANumber(text);
        }
        return new BigDecimal(text.substring(0, end)).multiply(unit);
    }

    /** Refuses what is not a number, which may have an exponent. */
    static void checkNumber(String text) {
        int end = end(text);
        boolean isNumber = end > 0 && (end == text.length() || isExponent(text.substring(end)));
        if (!isNumber) {
            throw notANumber(text);
        }
    }

    private static boolean isExponent(String text) {
        boolean isMarked = text.charAt(0) == 'e' || text.charAt(0) == 'E';
        int start = text.length() > 1 && (text.charAt(1) == '-' || text.charAt(1) == '+') ? 2 : 1;
        int digits = digits(text, start) - start;
        return isMarked && digits > 0 && digits <= MAX_EXPONENT_DIGITS && start + digits == text.length();
    }

    private static IllegalArgumentException notANumber(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        boolean isPadded = text.length() > start + 1 && text.charAt(start) == '0' && isDigit(text.charAt(start + 1));
        return isPadded
                ? new IllegalArgumentException("must be a number without zeros before it")
                : new NumberFormatException();
    }

    /** Where the number ends that the text begins with; 0 = there is none. */
    private static int end(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        int whole = digits(text, start);
        if (whole == start || (whole > start + 1 && text.charAt(start) == '0')) {
            return 0;
        }
        if (whole < text.length() && text.charAt(whole) == '.') {
            int fraction = digits(text, whole + 1);
            return fraction == whole + 1 ? 0 : fraction;
        }
        return whole;
    }

    private static int digits(String text, int from) {
        int at = from;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
