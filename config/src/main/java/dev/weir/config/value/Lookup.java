package dev.weir.config.value;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a document that one value is made of, their conversion, and the default.
 *
 * @param key the key that the value is called by
 * @param texts finds them, to be compared by {@code equals}; null = the document has none of them; {@link #AS_BEFORE} = it has
 *     them, but not all can be read, which is reported
 * @param conversion throws an {@code IllegalArgumentException} with the rule that they break, and nothing of the texts themselves
 * @param orElse the value of documents that have none of them; empty = such a document is bad
 */
record Lookup<T>(
        String key,
        Function<ValueDocument, @Nullable Object> texts,
        Function<Object, ? extends T> conversion,
        Optional<T> orElse) {
    static final Object AS_BEFORE = new Object();

    /** That of one key. */
    static <T> Lookup<T> of(String key, Function<String, ? extends T> conversion, Optional<T> orElse) {
        if (Objects.requireNonNull(key, "key").isEmpty()) {
            throw new IllegalArgumentException("key must not be empty");
        }
        return new Lookup<>(key, document -> document.text(key), text -> conversion.apply((String) text), orElse);
    }

    /** That of a member of this type: of a record, if there is no converter for it, the values below the key. */
    static Lookup<Object> of(ConfigParam param, Type type, Converters converters) {
        if (!(type instanceof Class<?> simple) || !simple.isRecord() || converters.knows(simple)) {
            return of(param.value(), param.orElse(), type, converters);
        }
        if (param.orElse().length > 0) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + param.value() + "\") must be of each component of the record");
        }
        return Group.lookup(param.value(), simple, converters);
    }

    /**
     * That of one key, of which no record is made.
     *
     * @param texts the default as text; none = there is none
     */
    static Lookup<Object> of(String key, String[] texts, Type type, Converters converters) {
        Function<String, Object> conversion = converters.to(type);
        if (texts.length > 1) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + key + "\") must be one text, was " + texts.length);
        }
        if (texts.length == 0) {
            boolean mayBeMissing = type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
            return of(key, conversion, mayBeMissing ? Optional.of(Optional.empty()) : Optional.empty());
        }
        try {
            return of(key, conversion, Optional.of(conversion.apply(texts[0])));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("orElse of @ConfigParam(\"" + key + "\") " + e.getMessage(), e);
        }
    }

    /** The same, for a value that may be missing. */
    Lookup<Optional<T>> optional() {
        return new Lookup<>(
                key,
                document -> {
                    Object found = texts.apply(document);
                    return found instanceof List<?> each && each.stream().allMatch(Objects::isNull) ? null : found;
                },
                all -> Optional.of(conversion.apply(all)),
                Optional.of(orElse));
    }

    /**
     * What these texts mean, or the default if they are null.
     *
     * @throws Broken with the key and the rule that is broken
     */
    T value(@Nullable Object found) {
        if (found == null) {
            return orElse.orElseThrow(() -> new Broken(key, "must be given"));
        }
        try {
            return conversion.apply(found);
        } catch (Throwable t) {
            throw Broken.of(key, t);
        }
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
