package dev.weir.http;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** IP addresses as bytes, 4 or 16. Names are never resolved. */
final class Address {
    private static final int V4 = 4;
    private static final int V6 = 16;
    private static final int GROUPS = 8;
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private Address() {}

    /** The address in a text that may have quotes, brackets, a port and a zone; null if it is no address. */
    static byte @Nullable [] parse(String given) {
        String text = given.strip();
        if (text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")) {
            text = text.substring(1, text.length() - 1).strip();
        }
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            return end < 0 || !isPort(text.substring(end + 1)) ? null : v6(text.substring(1, end));
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            return v4(text);
        }
        boolean hasOneColon = text.indexOf(':', colon + 1) < 0;
        if (hasOneColon) {
            return isPort(text.substring(colon)) ? v4(text.substring(0, colon)) : null;
        }
        return v6(text);
    }

    /* Nothing, or a port, which may be obfuscated as RFC 7239 has it. */
    private static boolean isPort(String text) {
        return text.isEmpty()
                || (text.startsWith(":")
                        && text.length() > 1
                        && text.chars()
                                .skip(1)
                                .allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || "._-".indexOf(c) >= 0)));
    }

    /** An address without zone; IPv4 if it is one that is mapped to IPv6. */
    static byte[] of(byte[] address) {
        boolean isMapped = address.length == V6 && Arrays.equals(address, 0, MAPPED.length, MAPPED, 0, MAPPED.length);
        return isMapped ? Arrays.copyOfRange(address, MAPPED.length, V6) : address;
    }

    private static byte @Nullable [] v4(String text) {
        byte[] address = new byte[V4];
        int at = 0;
        for (int i = 0; i < V4; i++) {
            int dot = i < V4 - 1 ? text.indexOf('.', at) : text.length();
            int number = dot < 0 ? -1 : number(text, at, dot);
            if (number < 0) {
                return null;
            }
            address[i] = (byte) number;
            at = dot + 1;
        }
        return address;
    }

    /* Of one to three digits, at most 255; -1 = none. A zero in front may mean octal digits elsewhere. */
    private static int number(String text, int from, int to) {
        int length = to - from;
        if (length < 1 || length > 3 || (length > 1 && text.charAt(from) == '0')) {
            return -1;
        }
        int number = 0;
        for (int i = from; i < to; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            number = 10 * number + digit - '0';
        }
        return number > 255 ? -1 : number;
    }

    private static byte @Nullable [] v6(String given) {
        int zone = given.indexOf('%');
        String text = zone < 0 ? given : given.substring(0, zone);
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return null;
        }
        byte[] head = groups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        byte[] tail = gap < 0 ? new byte[0] : groups(text.substring(gap + 2), true);
        if (head == null || tail == null) {
            return null;
        }
        int length = head.length + tail.length;
        if (gap < 0 ? length != V6 : length > V6 - 2) {
            return null;
        }
        byte[] address = Arrays.copyOf(head, V6);
        System.arraycopy(tail, 0, address, V6 - tail.length, tail.length);
        return of(address);
    }

    /* Groups of hexadecimal digits; the last one may be an IPv4 address. */
    private static byte @Nullable [] groups(String text, boolean atEnd) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        String[] parts = text.split(":", -1);
        if (parts.length > GROUPS) {
            return null;
        }
        boolean hasV4 = atEnd && parts[parts.length - 1].indexOf('.') >= 0;
        byte[] bytes = new byte[2 * parts.length + (hasV4 ? 2 : 0)];
        for (int i = 0; i < parts.length; i++) {
            if (hasV4 && i == parts.length - 1) {
                byte[] v4 = v4(parts[i]);
                if (v4 == null) {
                    return null;
                }
                System.arraycopy(v4, 0, bytes, 2 * i, V4);
                return bytes;
            }
            int group = group(parts[i]);
            if (group < 0) {
                return null;
            }
            bytes[2 * i] = (byte) (group >> 8);
            bytes[2 * i + 1] = (byte) group;
        }
        return bytes;
    }

    private static int group(String text) {
        boolean isHex = !text.isEmpty()
                && text.length() <= 4
                && text.chars().allMatch(c -> c < 128 && Character.digit(c, 16) >= 0);
        return isHex ? Integer.parseInt(text, 16) : -1;
    }

    /** {@code 192.0.2.7}, or the network {@code 2001:db8:0:1::/64}. */
    static String key(byte[] address) {
        StringBuilder key = new StringBuilder(V6 + V4);
        if (address.length == V4) {
            for (int i = 0; i < V4; i++) {
                key.append(i == 0 ? "" : ".").append(address[i] & 0xff);
            }
            return key.toString();
        }
        for (int i = 0; i < V6 / 2; i += 2) {
            key.append(Integer.toHexString((address[i] & 0xff) << 8 | (address[i + 1] & 0xff)))
                    .append(':');
        }
        return key.append(":/64").toString();
    }
}
