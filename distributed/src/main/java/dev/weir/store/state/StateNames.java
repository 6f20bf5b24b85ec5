package dev.weir.store.state;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The names of the values of one limit in a {@link StateStore}. Different limits and texts have different names, except for collisions
 * of SHA-256. Immutable.
 *
 * <pre>
 *   weir:limit:login:s:alice    the text "s:alice"
 *   weir:limit:login#SHA256     a text that is too long, or has a char that no name has
 *   weir:limit:#SHA256:s:alice  a limit whose name is such
 * </pre>
 */
final class StateNames {
    /* The chars : # and % are escaped in the name of a limit, so that the first ":" or "#" after it was written here. */
    private static final int MAX_NAME = 100;

    private final String prefix;

    /** The names of values of a kind, {@code [a-z]{1,9}}, that have this name. */
    StateNames(String kind, String name) {
        String escaped = name.replace("%", "%25").replace(":", "%3A").replace("#", "%23");
        prefix = "weir:" + kind + ':' + (isPlain(escaped, MAX_NAME) ? escaped : '#' + hash(name));
    }

    String of(String text) {
        return isPlain(text, StateStore.LONGEST_NAME - prefix.length() - 1)
                ? prefix + ':' + text
                : prefix + '#' + hash(text);
    }

    private static boolean isPlain(String text, int most) {
        return text.length() <= most
                && text.codePoints()
                        .noneMatch(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    }

    /* By its chars and not by an encoding, which replaces a surrogate without its other half. */
    private static String hash(String text) {
        ByteBuffer chars = ByteBuffer.allocate(text.length() * Character.BYTES);
        chars.asCharBuffer().put(text);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(chars.array());
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
