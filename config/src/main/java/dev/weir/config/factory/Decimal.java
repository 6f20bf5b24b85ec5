package dev.weir.config.factory;

import java.math.BigDecimal;
import java.util.Map;

/** Decimal numbers as people write them: {@code -}, digits without a leading zero, a point and digits. Nothing else. */
final class Decimal {
    private static final String RULE = "must be a number";
    private static final int MAX_EXPONENT_DIGITS = 3;

    private Decimal() {}

    static BigDecimal of(String text) {
        if (end(text) != text.length()) {
            throw new IllegalArgumentException(rule(text));
        }
        return new BigDecimal(text);
    }

    /** The number times its unit. */
    static BigDecimal withUnit(String text, Map<String, BigDecimal> units) {
        int end = end(text);
        BigDecimal unit = units.get(text.substring(end));
        if (end == 0 || unit == null) {
            throw new IllegalArgumentException(rule(text) + (end == 0 ? "" : unitRule(units)));
        }
        return new BigDecimal(text.substring(0, end)).multiply(unit);
    }

    private static String unitRule(Map<String, BigDecimal> units) {
        return " with one of the units "
                + units.keySet().stream()
                        .filter(unit -> !unit.isEmpty())
                        .sorted((a, b) -> compare(units, a, b))
                        .reduce((a, b) -> a + ", " + b)
                        .orElse("");
    }

    private static int compare(Map<String, BigDecimal> units, String a, String b) {
        int bySize = units.getOrDefault(a, BigDecimal.ONE).compareTo(units.getOrDefault(b, BigDecimal.ONE));
        return bySize != 0 ? bySize : a.compareTo(b);
    }

    /** Refuses what is not a number, which may have an exponent. */
    static void checkNumber(String text) {
        int end = end(text);
        boolean isNumber = end > 0 && (end == text.length() || isExponent(text.substring(end)));
        if (!isNumber) {
            throw new IllegalArgumentException(rule(text));
        }
    }

    private static boolean isExponent(String text) {
        boolean isMarked = text.charAt(0) == 'e' || text.charAt(0) == 'E';
        int start = text.length() > 1 && (text.charAt(1) == '-' || text.charAt(1) == '+') ? 2 : 1;
        int digits = digits(text, start) - start;
        return isMarked && digits > 0 && digits <= MAX_EXPONENT_DIGITS && start + digits == text.length();
    }

    private static String rule(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        boolean isPadded = text.length() > start + 1 && text.charAt(start) == '0' && isDigit(text.charAt(start + 1));
        return isPadded ? RULE + " without zeros before it" : RULE;
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
