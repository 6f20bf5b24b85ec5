package dev.weir.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * A Lua script for the server, by its text and its hash. It gets one key. Its arguments are integers: the
 * {@link #ACQUIRE operation}, the permits, the instant in microseconds of the server since which a key that does not
 * exist counts as used up ({@code 0} = it is unused), and those of its rule. Its reply has seven integers: granted,
 * remaining, limit, microseconds until reset, microseconds until a retry ({@code -1} = never), the time of the server
 * in microseconds, and {@code 1} if this call replaced what no script had written, else {@code 0}.
 *
 * @param name that of its file
 * @param text what the server runs: {@code time.lua}, for a bucket {@code bucket-fast.lua}, {@code common.lua} and the file
 * @param sha the hash by which the server knows it
 */
record Script(String name, String text, String sha) {
    /** Take all permits or none. */
    static final int ACQUIRE = 0;

    /** Take as many permits as there are. */
    static final int ACQUIRE_UP_TO = 1;

    /** Count permits also beyond the limit; a negative number refunds. */
    static final int CHARGE = 2;

    /** Take all permits or none: more than the limit ever has are taken if nothing is used, and overdraw it. */
    static final int ACQUIRE_ONCE = 3;

    /**
     * Count permits at a window also beyond its limit, and keep what is beyond as a debt that outlives the window. A negative number
     * refunds; the last argument is then the instant in microseconds of the server at which the permits were granted.
     */
    static final int OVERDRAW = 4;

    /** The script of a file under {@code dev/weir/redis}, without its ending. */
    static Script of(String name) {
        String fast = name.equals("bucket") ? resource("bucket-fast") : "";
        String text = resource("time") + fast + resource("common") + resource(name);
        return new Script(name, text, sha1(text));
    }

    private static String resource(String name) {
        try (InputStream file = Script.class.getResourceAsStream(name + ".lua")) {
            return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
