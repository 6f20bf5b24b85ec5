package dev.weir.config.value;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The key and the default of one {@link ConfigParam}, for a type.
 *
 * @param lookup the texts in a document, and their conversion to the type
 * @param orElse the default, converted; empty = none
 */
record ParamKey(Lookup<Object> lookup, Optional<Object> orElse) {
    static ParamKey of(ConfigParam param, Type type, Converters converters) {
        if (!(type instanceof Class<?> simple) || !simple.isRecord() || converters.knows(simple)) {
            return ofOne(param.value(), param.orElse(), type, converters);
        }
        if (param.orElse().length > 0) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + param.value() + "\") must be of each component of the record");
        }
        return ofGroup(Group.of(param.value(), simple, converters));
    }

    private static ParamKey ofGroup(Group<?> group) {
        return new ParamKey(
                new Lookup<>(group.prefix(), group::texts, group::convert),
                group.defaults().map(Object.class::cast));
    }

    /** That of one key, of which no record is made. */
    static ParamKey ofOne(String key, String[] orElse, Type type, Converters converters) {
        Conversion<Object> conversion = converters.to(type);
        return new ParamKey(Lookup.of(key, conversion), orElse(key, orElse, type, conversion));
    }

    private static Optional<Object> orElse(String key, String[] texts, Type type, Conversion<Object> conversion) {
        if (texts.length > 1) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + key + "\") must be one text, was " + texts.length);
        }
        if (texts.length == 0) {
            boolean mayBeMissing = type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
            return mayBeMissing ? Optional.of(Optional.empty()) : Optional.empty();
        }
        try {
            return Optional.of(conversion.convert(texts[0]));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("orElse of @ConfigParam(\"" + key + "\") " + e.getMessage(), e);
        }
    }

    String key() {
        return lookup.key();
    }

    /**
     * What these texts mean, or the default if they are null.
     *
     * @throws Lookup.Broken with the key and the rule that is broken
     */
    Object value(@Nullable Object texts) {
        if (texts == null) {
            return orElse.orElseThrow(() -> new Lookup.Broken(key(), "must be given"));
        }
        try {
            return lookup.conversion().apply(texts);
        } catch (Throwable t) {
            throw Lookup.Broken.of(key(), t);
        }
    }

    /** The value in the store; empty while there is neither a value nor a default. */
    ConfigValue<Optional<Object>> in(ValueStore store) {
        return store.value(lookup.optional(), orElse);
    }
}
