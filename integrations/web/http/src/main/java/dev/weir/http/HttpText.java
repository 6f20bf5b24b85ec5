package dev.weir.http;

import dev.weir.http.Policy.Unit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Texts of structured fields (RFC 9651) and of JSON. */
final class HttpText {
    /** The largest integer of a structured field. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private static final long SECOND = 1_000_000_000;

    private HttpText() {}

    /** {@code "name";q=100;w=60}. */
    static String policy(Policy policy) {
        StringBuilder text = new StringBuilder(string(policy.name()));
        text.append(";q=").append(integer(policy.quota()));
        Duration window = policy.window();
        if (policy.unit() == Unit.CONCURRENT_REQUESTS) {
            text.append(";qu=\"concurrent-requests\"");
        } else if (window != null && window.toSeconds() > 0) {
            text.append(";w=").append(integer(seconds(window)));
        }
        return text.toString();
    }

    /**
     * {@code "name";r=50;t=30}.
     *
     * @param resetNanos -1 = not known
     */
    static String limit(String name, long remaining, long resetNanos) {
        String text = string(name) + ";r=" + integer(remaining);
        return resetNanos < 0 ? text : text + ";t=" + integer(seconds(resetNanos));
    }

    /** Whole seconds, rounded up. */
    static long seconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    /** Whole seconds, rounded up. */
    static long seconds(long nanos) {
        return nanos / SECOND + (nanos % SECOND == 0 ? 0 : 1);
    }

    static long integer(long value) {
        return Math.max(0, Math.min(MAX_INTEGER, value));
    }

    /** A quoted string, the same in a structured field and in JSON. */
    static String string(String name) {
        StringBuilder text = new StringBuilder("\"");
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            boolean isPlain = each >= ' ' && each <= '~' && each != '%';
            if (!isPlain) {
                text.append('%')
                        .append(Character.toUpperCase(Character.forDigit(each >> 4 & 0xf, 16)))
                        .append(Character.toUpperCase(Character.forDigit(each & 0xf, 16)));
            } else if (each == '"' || each == '\\') {
                text.append('\\').append((char) each);
            } else {
                text.append((char) each);
            }
        }
        return text.append('"').toString();
    }
}
