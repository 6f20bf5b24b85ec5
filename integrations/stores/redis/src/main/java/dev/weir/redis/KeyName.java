package dev.weir.redis;

import dev.weir.store.rates.internal.KeyText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of the Redis keys of one limiter, one for each key of its requests. A name is a single hash tag, so that it has one
 * slot whatever a client chose as a key, and at most {@value #MAX_LENGTH} printable ASCII characters. Different kinds, limiters
 * and keys have different names, except for collisions of SHA-256. Immutable.
 *
 * <pre>
 *   {weir:limit:login}                  no key
 *   {weir:limit:login:s:alice}          "alice"
 *   {weir:limit:login:i:7}              7, which is not "7" and not 7L
 *   {weir:limit:login:d:GET|/pay}       KeyValues.of("GET", "/pay"), as the values of several names of a document are
 *   {weir:limit:login:n:a|GET|b|/pay}   Dimensions.of("a", "GET", "b", "/pay")
 *   {weir:limit:login#SHA256}           a key that is too long
 *   {weir:limit:#SHA256:s:alice}        a limiter whose name is too long
 * </pre>
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record KeyName(byte[] prefix) {
    /*
     * The characters : # | { } are escaped in the name of a limiter and in a key, except for ":" in a key, which is the last part.
     * So each of them that is read before the last part was written by this class.
     */

    static final int MAX_LENGTH = 128;

    private static final int MAX_NAME = 64;

    /**
     * The names of a limiter.
     *
     * @param kind what the keys hold, {@code [a-z]{1,9}}: a limit and a semaphore may have the same name
     * @throws IllegalArgumentException if the name is empty
     */
    static KeyName of(String kind, String limiter) {
        if (limiter.isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
        NameBuffer plain = new NameBuffer(MAX_NAME).escape(limiter, "");
        String hash = plain.fits() ? "" : '#' + new KeyText("", List.of(limiter)).hash();
        NameBuffer prefix = new NameBuffer(MAX_LENGTH).append("{weir:" + kind + ':' + hash);
        return new KeyName((plain.fits() ? prefix.append(plain.toBytes()) : prefix).toBytes());
    }

    /**
     * The name for a key of a request.
     *
     * @param key null, a string, {@code KeyValues}, {@code Dimensions}, a number, a Boolean, a Character, a UUID or an enum constant
     * @return null if the key is anything else: it may not have a text that is the same in each process
     */
    byte @Nullable [] of(@Nullable Object key) {
        if (key == null) {
            return buffer().append("}").toBytes();
        }
        KeyText text = KeyText.of(key);
        if (text == null) {
            return null;
        }
        NameBuffer name = buffer().append(":" + text.type() + ':');
        for (int i = 0; i < text.values().size() && name.fits(); i++) {
            name.append(i == 0 ? "" : "|").escape(text.values().get(i), ":");
        }
        if (name.append("}").fits()) {
            return name.toBytes();
        }
        return buffer().append("#" + text.hash() + '}').toBytes();
    }

    private NameBuffer buffer() {
        return new NameBuffer(MAX_LENGTH).append(prefix);
    }
}
