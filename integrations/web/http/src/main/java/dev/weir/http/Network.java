package dev.weir.http;

/** A network such as {@code 10.0.0.0/8}, or one address. */
final class Network {
    private final byte[] address;
    private final int bits;

    private Network(byte[] address, int bits) {
        this.address = address;
        this.bits = bits;
    }

    /**
     * @throws IllegalArgumentException if it is neither
     */
    static Network of(String text) {
        int slash = text.indexOf('/');
        byte[] address = Address.parse(slash < 0 ? text : text.substring(0, slash));
        int most = address == null ? 0 : address.length * 8;
        int bits = slash < 0 ? most : bits(text.substring(slash + 1));
        if (address == null || bits < 0 || bits > most) {
            throw new IllegalArgumentException("network must be like 10.0.0.0/8 or 2001:db8::/32, was " + text);
        }
        return new Network(address, bits);
    }

    private static int bits(String text) {
        boolean isNumber = !text.isEmpty() && text.length() <= 3 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Integer.parseInt(text) : -1;
    }

    boolean contains(byte[] other) {
        if (other.length != address.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            int mask = 0x80 >> i % 8;
            if ((address[i / 8] & mask) != (other[i / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
