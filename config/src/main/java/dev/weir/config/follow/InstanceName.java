package dev.weir.config.follow;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The name of an instance, and whether it is the same after a restart. */
public record InstanceName(String text, boolean survives) {
    private static final double RANGE = 0x1p53;
    private static final int DIGITS = 8;

    /** The name that code gives; without one, that of the host and a random part, because all containers may have one process id. */
    public static InstanceName of(@Nullable String given) {
        return given == null ? made(System.getenv("HOSTNAME"), InstanceName::host) : new InstanceName(given, true);
    }

    static InstanceName made(@Nullable String hostname, Callable<String> host) {
        String name = hostname == null || hostname.isBlank() ? name(host) : hostname;
        String random = Long.toHexString(new SplittableRandom().nextLong() | Long.MIN_VALUE);
        return new InstanceName(name + "-" + random.substring(random.length() - DIGITS), false);
    }

    /* The resolver of names may wait for a server. */
    private static String host() throws IOException {
        Path name = Path.of("/proc/sys/kernel/hostname");
        return Files.isReadable(name)
                ? Files.readString(name).strip()
                : InetAddress.getLocalHost().getHostName();
    }

    private static String name(Callable<String> host) {
        try {
            return host.call();
        } catch (Exception unknown) {
            return "instance";
        }
    }

    /**
     * The position in a staged rollout, from 0 to 100, evenly spread over all names: another one for each limiter, and for the
     * document as a whole, so that it is not always the same instances that come first.
     */
    public double place(String limiter) {
        String digest = Offered.digest((text + "\n" + limiter).getBytes(StandardCharsets.UTF_8));
        long bits = Long.parseUnsignedLong(digest.substring(0, 16), 16);
        return (bits >>> 11) / RANGE * 100;
    }
}
