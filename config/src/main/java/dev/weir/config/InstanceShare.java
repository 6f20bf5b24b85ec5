package dev.weir.config;

import dev.weir.config.document.ChecksumLine;
import java.nio.charset.StandardCharsets;

/** The position of an instance in a staged rollout, from 0 to 100, evenly spread over all instances, the same after a restart. */
final class InstanceShare {
    private static final double RANGE = 0x1p53;

    private InstanceShare() {}

    /**
     * The place for one limiter, so that it is not always the same instances that come first.
     *
     * @param limiter empty = for the document as a whole
     */
    static double of(String instance, String limiter) {
        String digest = ChecksumLine.digest((instance + "\n" + limiter).getBytes(StandardCharsets.UTF_8));
        long bits = Long.parseUnsignedLong(digest.substring(0, 16), 16);
        return (bits >>> 11) / RANGE * 100;
    }
}
