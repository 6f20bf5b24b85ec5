package dev.weir.config;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The place of an instance among all instances, from 0 to 100, evenly spread, the same after a restart. */
final class InstanceShare {
    private static final double RANGE = 0x1p53;

    private InstanceShare() {}

    /**
     * The place for one limiter, so that it is not always the same instances that come first.
     *
     * @param limiter empty = for the document as a whole
     */
    static double of(String instance, String limiter) {
        long bits = ByteBuffer.wrap(sha256((instance + "\n" + limiter).getBytes(StandardCharsets.UTF_8)))
                .getLong();
        return (bits >>> 11) / RANGE * 100;
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
