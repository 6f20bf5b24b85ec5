package dev.weir.console;

import dev.weir.keyed.HeavyHitters.Hitter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The text by which a page knows the key of a request: a hash that nobody can compute elsewhere, or the key. */
final class ShownKeys {
    private static final int SHOWN_BYTES = 6;

    private final boolean showsKeys;
    private final String secret = AccessToken.random();

    ShownKeys(boolean showsKeys) {
        this.showsKeys = showsKeys;
    }

    boolean isHashed() {
        return !showsKeys;
    }

    String of(Hitter hitter) {
        if (showsKeys) {
            return hitter.label();
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((secret + hitter.key()).getBytes(StandardCharsets.UTF_8));
            return "#" + HexFormat.of().formatHex(hash, 0, SHOWN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
