package dev.weir.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** IP addresses as bytes, 4 or 16. Names are never resolved. */
final class Address {
    private static final int V4 = 4;
    private static final int V6 = 16;
    /** Texts that the JDK reads as an address, or not at all; the last group may be an IPv4 address. */
    private static final Pattern IPV6 = Pattern.compile("(?:[0-9a-fA-F]{0,4}:){2,8}(?:[0-9a-fA-F]{0,4}|([0-9.]+))");
    /** Nothing, or a port, which may be obfuscated as RFC 7239 has it. */
    private static final Pattern PORT = Pattern.compile("(?::[A-Za-z0-9._-]+)?");

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

    private static boolean isPort(String text) {
        return PORT.matcher(text).matches();
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

    /** An address without its zone; IPv4 if it is one that is mapped to IPv6. */
    private static byte @Nullable [] v6(String given) {
        int zone = given.indexOf('%');
        String text = zone < 0 ? given : given.substring(0, zone);
        Matcher form = IPV6.matcher(text);
        if (!form.matches() || (form.group(1) != null && v4(form.group(1)) == null)) {
            return null;
        }
        try {
            return InetAddress.getByName(text).getAddress();
        } catch (UnknownHostException noAddress) {
            return null;
        }
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
