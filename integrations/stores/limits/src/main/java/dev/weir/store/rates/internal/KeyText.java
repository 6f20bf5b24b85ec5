package dev.weir.store.rates.internal;

import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The strings of a key. Keys that are equal, and only they, have the same type and strings, in each process and on each JVM.
 *
 * @param type an abbreviation of the class of the key
 */
public record KeyText(String type, List<String> values) {
    private static final int CHUNK = 1024;

    private record Form(String type, Function<Object, List<String>> values) {}

    private static final Map<Class<?>, Form> FORMS = Map.ofEntries(
            form(String.class, "s", text -> text),
            Map.entry(KeyValues.class, new Form("d", key -> ((KeyValues) key).values())),
            Map.entry(Dimensions.class, new Form("n", key -> strings((Dimensions) key))),
            form(Integer.class, "i", Object::toString),
            form(Long.class, "l", Object::toString),
            form(Short.class, "h", Object::toString),
            form(Byte.class, "b", Object::toString),
            form(BigInteger.class, "I", Object::toString),
            form(BigDecimal.class, "D", Object::toString),
            form(Double.class, "f", Double::toHexString),
            form(Float.class, "F", Float::toHexString),
            form(Boolean.class, "z", Object::toString),
            form(Character.class, "c", Object::toString),
            form(UUID.class, "u", Object::toString));

    private static <K> Map.Entry<Class<?>, Form> form(Class<K> type, String name, Function<K, String> text) {
        return Map.entry(type, new Form(name, key -> List.of(text.apply(type.cast(key)))));
    }

    private static List<String> strings(Dimensions named) {
        return named.names().stream()
                .flatMap(name -> Stream.of(name, named.value(name)))
                .toList();
    }

    /** Null if this class has no strings that are the same in each process. */
    public static @Nullable KeyText of(Object key) {
        if (key instanceof Enum<?> constant) {
            return new KeyText("e", List.of(constant.getDeclaringClass().getName(), constant.name()));
        }
        Form form = FORMS.get(key.getClass());
        return form == null ? null : new KeyText(form.type, form.values.apply(key));
    }

    /** The SHA-256 of the type and all strings, as 43 letters, digits, "-" and "_". */
    public String hash() {
        MessageDigest digest = sha256();
        update(digest, type);
        values.forEach(value -> update(digest, value));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
    }

    /** By its characters and not by UTF-8, which replaces a surrogate without its other half. */
    private static void update(MessageDigest digest, String text) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, text.length()));
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK * Character.BYTES);
        for (int from = 0; from < text.length(); from += CHUNK) {
            int to = Math.min(text.length(), from + CHUNK);
            chunk.asCharBuffer().put(text, from, to);
            digest.update(chunk.array(), 0, (to - from) * Character.BYTES);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
