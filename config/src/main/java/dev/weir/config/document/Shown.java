package dev.weir.config.document;

import dev.weir.config.factory.PermitRate;
import java.math.BigDecimal;
import java.time.Duration;

/** Text of a document in messages: short, and without characters that change how a terminal or a page shows the rest. */
final class Shown {
    static final int MAX_CHARS = 60;
    private static final int MAX_RULE = 400;
    private static final long[] NANOS = {
        86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1000L, 1L
    };
    private static final String[] UNITS = {"d", "h", "min", "s", "ms", "us", "ns"};

    private Shown() {}

    static String of(String text) {
        return clean(text, MAX_CHARS);
    }

    static String rule(String text) {
        return clean(text, MAX_RULE);
    }

    private static String clean(String text, int max) {
        StringBuilder shown = new StringBuilder();
        int end = text.length() <= max ? text.length() : max - 3;
        for (int i = 0; i < end; i++) {
            char character = text.charAt(i);
            shown.append(isPlain(character) ? character : '?');
        }
        return end < text.length() ? shown.append("...").toString() : shown.toString();
    }

    private static boolean isPlain(char character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** A value as a document would have it. */
    static String value(Object value) {
        if (value instanceof Duration duration) {
            return duration(duration);
        }
        if (value instanceof PermitRate rate) {
            return rate.permits() + "/" + duration(rate.period());
        }
        if (value instanceof Double number) {
            return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
        }
        return value.toString();
    }

    private static String duration(Duration duration) {
        if (duration.isZero() || duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            return duration.isZero() ? "0s" : duration.toString();
        }
        long nanos = duration.toNanos();
        int unit = 0;
        while (nanos % NANOS[unit] != 0) {
            unit++;
        }
        return nanos / NANOS[unit] + UNITS[unit];
    }
}
