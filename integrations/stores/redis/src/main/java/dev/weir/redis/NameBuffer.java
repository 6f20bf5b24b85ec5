package dev.weir.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** A bounded buffer of ASCII characters. What is too much is dropped, and the buffer says so. Not thread-safe. */
final class NameBuffer {
    private static final String PLAIN = "-._~@/+=,";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final byte[] bytes;
    private int length;
    private boolean fits = true;

    NameBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    boolean fits() {
        return fits;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    NameBuffer append(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            put(ascii.charAt(i));
        }
        return this;
    }

    NameBuffer append(byte[] ascii) {
        for (byte b : ascii) {
            put(b);
        }
        return this;
    }

    /**
     * Appends letters, digits and a few other characters as they are, and the UTF-8 bytes of all others as {@code %XX}. A
     * surrogate without its other half gets the bytes of its own number, which no valid text has.
     *
     * @param more further characters that are appended as they are
     */
    NameBuffer escape(String text, String more) {
        for (int i = 0; i < text.length() && fits; ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0 || more.indexOf(c) >= 0) {
                put(c);
            } else {
                percent(c);
            }
        }
        return this;
    }

    private static boolean isLetterOrDigit(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private void percent(int c) {
        if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
            hex(0xE0 | (c >> 12));
            hex(0x80 | ((c >> 6) & 0x3F));
            hex(0x80 | (c & 0x3F));
            return;
        }
        for (byte octet : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
            hex(octet);
        }
    }

    private void hex(int octet) {
        append("%" + HEX.toHexDigits((byte) octet));
    }

    private void put(int c) {
        if (length == bytes.length) {
            fits = false;
        } else {
            bytes[length++] = (byte) c;
        }
    }
}
