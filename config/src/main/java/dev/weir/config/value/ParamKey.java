package dev.weir.config.value;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;

/**
 * The key, the conversion and the default of one {@link ConfigParam}, for a type.
 *
 * @param key in the document
 * @param conversion to the type
 * @param orElse the default, converted; empty = none
 */
record ParamKey(String key, Conversion<Object> conversion, Optional<Object> orElse) {
    static ParamKey of(ConfigParam param, Type type, Converters converters) {
        Conversion<Object> conversion = converters.to(type);
        return new ParamKey(param.value(), conversion, orElse(param, type, conversion));
    }

    private static Optional<Object> orElse(ConfigParam param, Type type, Conversion<Object> conversion) {
        String[] texts = param.orElse();
        if (texts.length > 1) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + param.value() + "\") must be one text, was " + texts.length);
        }
        if (texts.length == 0) {
            boolean mayBeMissing = type instanceof ParameterizedType generic && generic.getRawType() == Optional.class;
            return mayBeMissing ? Optional.of(Optional.empty()) : Optional.empty();
        }
        try {
            return Optional.of(conversion.convert(texts[0]));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "orElse of @ConfigParam(\"" + param.value() + "\") " + e.getMessage(), e);
        }
    }

    /** The value in the store; empty while there is neither a value nor a default. */
    ConfigValue<Optional<Object>> in(ValueStore store) {
        return store.value(key, Converters.optional(conversion), orElse);
    }
}
