package dev.weir.http.source.internal;

import dev.weir.internal.Require;
import java.net.URI;

/** The display form of an address: without user, password, query and fragment. */
public final class HttpName {
    private HttpName() {}

    /**
     * The part of this address that may be shown.
     *
     * @throws IllegalArgumentException if it is no address of a server that speaks HTTP
     */
    public static String of(URI address) {
        String scheme = address.getScheme();
        Require.that(
                "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme),
                "scheme must be http or https",
                scheme);
        if (address.getHost() == null) {
            throw new IllegalArgumentException("address must have a host");
        }
        String query = address.getRawQuery() == null ? "" : "?...";
        return authority(address) + address.getRawPath() + query;
    }

    /** Scheme, host and port. */
    public static String authority(URI address) {
        String port = address.getPort() < 0 ? "" : ":" + address.getPort();
        return address.getScheme() + "://" + address.getHost() + port;
    }

    /** True if scheme, host and port are the same. */
    public static boolean isSameServer(URI one, URI other) {
        return one.getHost().equalsIgnoreCase(other.getHost())
                && one.getScheme().equalsIgnoreCase(other.getScheme())
                && port(one) == port(other);
    }

    private static int port(URI address) {
        if (address.getPort() >= 0) {
            return address.getPort();
        }
        return address.getScheme().equalsIgnoreCase("https") ? 443 : 80;
    }
}
