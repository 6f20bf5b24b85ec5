package dev.weir.config.reload;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The name of an instance.
 *
 * @param survives whether it is the same after a restart
 */
public record InstanceName(String text, boolean survives) {
    private static final double RANGE = 0x1p53;
    private static final int DIGITS = 8;

    /** The name that code gives; without one, that of the host and a random part, because all containers may have one process id. */
    public static InstanceName of(@Nullable String given) {
        return given == null
                ? made(
                        System.getenv("HOSTNAME"),
                        () -> InetAddress.getLocalHost().getHostName())
                : new InstanceName(given, true);
    }

    static InstanceName made(@Nullable String hostname, Callable<String> host) {
        String name = hostname == null || hostname.isBlank() ? name(host) : hostname;
        return new InstanceName(name + "-" + UUID.randomUUID().toString().substring(0, DIGITS), false);
    }

    private static String name(Callable<String> host) {
        try {
            return host.call();
        } catch (Exception unknown) {
            return "instance";
        }
    }

    /**
     * The position in a staged rollout, from 0 to 100, evenly spread over all names: another one for each limiter, so that it is
     * not always the same instances that come first.
     *
     * @param limiter empty = for the document as a whole
     */
    public double place(String limiter) {
        String digest = Offered.digest((text + "\n" + limiter).getBytes(StandardCharsets.UTF_8));
        long bits = Long.parseUnsignedLong(digest.substring(0, 16), 16);
        return (bits >>> 11) / RANGE * 100;
    }
}
