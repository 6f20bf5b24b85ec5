package dev.weir.config.value;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a document that one value is made of, and their conversion.
 *
 * @param key the key that the value is called by
 * @param texts finds them, to be compared by {@code equals}; null = the document has none of them; {@link #AS_BEFORE} = it has
 *     them, but not all can be read, which is reported
 * @param conversion throws an {@code IllegalArgumentException} with the rule that they break, and nothing of the texts themselves
 */
record Lookup<T>(
        String key, Function<ValueDocument, @Nullable Object> texts, Function<Object, ? extends T> conversion) {
    static final Object AS_BEFORE = new Object();

    /** That of one key. */
    static <T> Lookup<T> of(String key, Conversion<? extends T> conversion) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key must not be empty");
        }
        return new Lookup<>(key, document -> document.text(key), text -> conversion.convert((String) text));
    }

    /** The same, for a value that may be missing. */
    Lookup<Optional<T>> optional() {
        return new Lookup<>(key, texts, all -> Optional.of(conversion.apply(all)));
    }

    /** An exception for the text at one of several keys. */
    static final class Broken extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        private final String key;

        /** At this key, this rule is broken. */
        Broken(String key, String rule) {
            super(rule);
            this.key = key;
        }

        /** What a conversion of the text at this key threw. */
        static Broken of(String key, Throwable thrown) {
            if (thrown instanceof Broken inside) {
                return inside;
            }
            String message = thrown.getMessage();
            return new Broken(
                    key,
                    !(thrown instanceof IllegalArgumentException)
                            ? "must be convertible, but its type threw "
                                    + thrown.getClass().getName()
                            : message == null ? "must be convertible" : message);
        }

        String key() {
            return key;
        }
    }
}
