package dev.weir.http;

import dev.weir.http.Policy.Unit;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/** Texts of structured fields (RFC 9651), of JSON and of keys. */
final class HttpText {
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private static final long SECOND = 1_000_000_000;

    /** Longer keys could fill the memory, because clients choose some of them. */
    private static final int MAX_KEY = 256;

    private static final int START_OF_KEY = 64;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private HttpText() {}

    /** A key as limits keep it: itself, or its start and its digest. */
    static String key(String value) {
        if (value.length() <= MAX_KEY) {
            return value;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return value.substring(0, START_OF_KEY) + "~" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** {@code "name";q=100;w=60}, of a name as {@link #string} has it. */
    static String policy(String name, Policy policy) {
        String text = name + ";q=" + integer(policy.quota());
        Duration window = policy.window();
        if (policy.unit() == Unit.CONCURRENT_REQUESTS) {
            return text + ";qu=\"concurrent-requests\"";
        }
        return window != null && window.toSeconds() > 0 ? text + ";w=" + integer(seconds(window)) : text;
    }

    /** Appends {@code "name";r=50;t=30}, of a name as {@link #string} has it; a reset of -1 is not known. */
    static void limit(StringBuilder text, String name, long remaining, long resetNanos) {
        text.append(text.isEmpty() ? "" : ", ").append(name).append(";r=").append(integer(remaining));
        if (resetNanos >= 0) {
            text.append(";t=").append(integer(seconds(resetNanos)));
        }
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
                text.append('%').append(HEX.toHexDigits(each));
            } else if (each == '"' || each == '\\') {
                text.append('\\').append((char) each);
            } else {
                text.append((char) each);
            }
        }
        return text.append('"').toString();
    }
}
