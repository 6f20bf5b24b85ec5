package dev.weir.http;

import dev.weir.internal.Require;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The address of a client as a key for a limit, by the proxies that are trusted. Only what trusted proxies say of a client is
 * believed: hops are counted from the right of the header, and everything before the first hop that is not trusted may be
 * invented. Names are never resolved. Immutable; does not block, and throws for no request.
 *
 * <pre>{@code
 * ClientAddress clients = ClientAddress.behind(1); // one load balancer, which appends to X-Forwarded-For
 * String key = clients.key(request.getRemoteAddr(), name -> Collections.list(request.getHeaders(name)));
 * }</pre>
 *
 * <p>The key is an IPv4 address such as {@code 192.0.2.7}, also for an IPv4 address in IPv6 ({@code ::ffff:192.0.2.7}), or the
 * network of 64 bits of an IPv6 address such as {@code 2001:db8:0:1::/64}, because a client has all addresses in it. Where the
 * hop that should be the client has no address ({@code unknown}, {@code _hidden}, or no address at all), the key is that of the
 * proxy which says so: its clients share a limit.
 */
public final class ClientAddress {
    /** The key where not even the peer has an address, as with a Unix domain socket. */
    public static final String UNKNOWN = "unknown";

    /** The header to which the proxies append the address of their peer. They must all use this one. */
    public enum Header {
        /** {@code X-Forwarded-For}. */
        X_FORWARDED_FOR("X-Forwarded-For"),
        /** {@code Forwarded} of RFC 7239. */
        FORWARDED("Forwarded");

        private final String text;

        Header(String text) {
            this.text = text;
        }
    }

    private final int proxies;
    private final List<Network> networks;
    private final Header header;

    private ClientAddress(int proxies, List<Network> networks, Header header) {
        this.proxies = proxies;
        this.networks = networks;
        this.header = header;
    }

    /** Trusts no proxy: the client is the peer of the connection, whatever headers say. */
    public static ClientAddress ofPeer() {
        return behind(0);
    }

    /**
     * All requests pass this many proxies, the last of which is the peer of the connection. If the header has fewer hops than
     * that, the client is the peer. Only the last proxy may be able to connect to this server.
     *
     * @throws IllegalArgumentException if {@code proxies < 0}
     */
    public static ClientAddress behind(int proxies) {
        Require.that(proxies >= 0, "proxies must be >= 0", proxies);
        return new ClientAddress(proxies, List.of(), Header.X_FORWARDED_FOR);
    }

    /**
     * Proxies in these networks are trusted: the client is the last hop that is in none of them, or the first hop if all are.
     *
     * @param networks such as {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address; at least one
     * @throws IllegalArgumentException if there is none, or one is no network
     */
    public static ClientAddress behind(String... networks) {
        if (networks.length == 0) {
            throw new IllegalArgumentException("networks must be >= 1, were 0");
        }
        return new ClientAddress(0, Arrays.stream(networks).map(Network::of).toList(), Header.X_FORWARDED_FOR);
    }

    /** The same with another header. Default: {@link Header#X_FORWARDED_FOR}. */
    public ClientAddress reading(Header other) {
        return new ClientAddress(proxies, networks, Objects.requireNonNull(other, "other"));
    }

    /**
     * The key of a client.
     *
     * @param peer the address of the peer of the connection, as text; null or no address = {@link #UNKNOWN}
     * @param headers gives the lines of a header, in their order; null or empty = there are none
     */
    public String key(@Nullable String peer, Function<? super String, ? extends @Nullable List<String>> headers) {
        byte[] of = peer == null ? null : Address.parse(peer);
        byte[] client = of;
        if (networks.isEmpty() && proxies > 0) {
            client = counted(of, new Hops(header, headers.apply(header.text)));
        } else if (of != null && isTrusted(of)) {
            client = untrusted(of, new Hops(header, headers.apply(header.text)));
        }
        return client == null ? UNKNOWN : Address.key(client);
    }

    private byte @Nullable [] counted(byte @Nullable [] peer, Hops hops) {
        byte[] reporter = peer;
        for (int i = 0; i < proxies; i++) {
            if (!hops.next()) {
                return peer;
            }
            byte[] hop = hops.address();
            reporter = hop == null ? reporter : hop;
        }
        return reporter;
    }

    private byte[] untrusted(byte[] peer, Hops hops) {
        byte[] last = peer;
        while (isTrusted(last) && hops.next()) {
            byte[] hop = hops.address();
            if (hop == null) {
                return last;
            }
            last = hop;
        }
        return last;
    }

    private boolean isTrusted(byte[] address) {
        return networks.stream().anyMatch(network -> network.contains(address));
    }

    private static final class Network {
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
            boolean isNumber =
                    !text.isEmpty() && text.length() <= 3 && text.chars().allMatch(c -> c >= '0' && c <= '9');
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

    /**
     * The hops that a request has passed, as its header lines say, from the last one to the first. Trusted proxies write at the
     * end, so texts are read from there: what is to the left, which the client may have written, cannot change what is read before
     * it, with an open quote for example.
     */
    private static final class Hops {
        private static final String FOR = "for=";

        private final Header header;
        private final List<String> lines;
        private int line;
        private String text = "";
        private int end;
        private String element = "";

        Hops(Header header, @Nullable List<String> lines) {
            this.header = header;
            this.lines = lines == null ? List.of() : lines;
            line = this.lines.size();
        }

        /** Goes to the next hop, further from this server; false if there is none. */
        boolean next() {
            do {
                while (end <= 0) {
                    if (line == 0) {
                        return false;
                    }
                    line--;
                    String given = lines.get(line);
                    text = given == null ? "" : given;
                    end = text.length();
                }
                int comma = lastOutsideQuotes(text, end, ',');
                element = text.substring(comma + 1, end).strip();
                end = comma;
            } while (element.isEmpty());
            return true;
        }

        /** The address of this hop; null if it has none. */
        byte @Nullable [] address() {
            String node = header == Header.FORWARDED ? node() : element;
            return node == null ? null : Address.parse(node);
        }

        private int lastOutsideQuotes(String in, int before, char separator) {
            boolean isQuoted = false;
            for (int i = before - 1; i >= 0; i--) {
                char c = in.charAt(i);
                if (c == '"' && header == Header.FORWARDED && (i == 0 || in.charAt(i - 1) != '\\')) {
                    isQuoted = !isQuoted;
                } else if (c == separator && !isQuoted) {
                    return i;
                }
            }
            return -1;
        }

        /** The value of the only {@code for}; null if there is none, or several. */
        private @Nullable String node() {
            String node = null;
            int pairEnd = element.length();
            while (pairEnd > 0) {
                int semicolon = lastOutsideQuotes(element, pairEnd, ';');
                String pair = element.substring(semicolon + 1, pairEnd).strip();
                pairEnd = semicolon;
                if (pair.regionMatches(true, 0, FOR, 0, FOR.length())) {
                    if (node != null) {
                        return null;
                    }
                    node = pair.substring(FOR.length());
                }
            }
            return node;
        }
    }
}
