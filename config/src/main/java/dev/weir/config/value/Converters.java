package dev.weir.config.value;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.named.plan.PermitRate;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The conversions of texts to values, by type. Immutable. */
final class Converters {
    private static final Function<String, Long> COUNT = scalar(Field.count("value"));
    private static final Function<String, Long> BYTES = scalar(Field.bytes("value"));
    private static final Function<String, Double> NUMBER = scalar(Field.number("value"));
    private static final Function<String, Double> SHARE = scalar(Field.share("value"));

    private final Map<Class<?>, Function<String, ?>> byType = new HashMap<>();

    /** With the functions of the application, which come first. */
    Converters(Map<Class<?>, ? extends Function<String, ?>> own) {
        byType.put(String.class, Converters::oneText);
        byType.put(Integer.class, stripped(Converters::wholeInt));
        byType.put(Long.class, stripped(Converters::wholeLong));
        byType.put(Double.class, stripped(text -> (text.endsWith("%") ? SHARE : NUMBER).apply(text)));
        byType.put(Boolean.class, stripped(scalar(Field.flag("value"))));
        byType.put(Duration.class, stripped(scalar(Field.duration("value"))));
        byType.put(PermitRate.class, stripped(scalar(Field.rate("value"))));
        byType.put(Path.class, ruled("must be a path", Path::of));
        byType.put(URI.class, stripped(ruled("must be a URI", URI::create)));
        own.forEach((type, function) -> byType.put(boxed(type), guarded(type, function)));
    }

    /** The conversion to a type, with its parameters; throws if there is none. */
    @SuppressWarnings("unchecked") // The map's conversions fit their keys; lists and options are made of these.
    <T> Function<String, T> to(Type type) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            return (Function<String, T>) list(to(generic.getActualTypeArguments()[0]));
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == Optional.class) {
            return (Function<String, T>) optional(to(generic.getActualTypeArguments()[0]));
        }
        if (type instanceof Class<?> simple) {
            Function<String, ?> known = byType.get(boxed(simple));
            if (known != null) {
                return (Function<String, T>) known;
            }
            if (simple.isEnum()) {
                return (Function<String, T>) constant(simple);
            }
        }
        throw new IllegalArgumentException("no converter for " + type.getTypeName() + "; the registry takes one");
    }

    static <E> Function<String, List<E>> list(Function<String, E> element) {
        return text -> {
            if (!text.isEmpty() && text.charAt(0) == ValueDocument.ELEMENT) {
                return Stream.of(text.substring(1).split("" + ValueDocument.ELEMENT, -1))
                        .map(element)
                        .toList();
            }
            String elements = text.strip();
            if (elements.startsWith("[") && elements.endsWith("]")) {
                elements = elements.substring(1, elements.length() - 1).strip();
            }
            return elements.isEmpty()
                    ? List.of()
                    : Stream.of(elements.split(",", -1))
                            .map(each -> element.apply(each.strip()))
                            .toList();
        };
    }

    static <T> Function<String, T> checked(Function<String, T> conversion, Predicate<? super T> check, String rule) {
        return text -> {
            T value = conversion.apply(text);
            String failure = "";
            try {
                if (check.test(value)) {
                    return value;
                }
            } catch (Exception e) {
                failure = ", and its check threw " + e.getClass().getName();
            }
            throw new IllegalArgumentException(rule + failure);
        };
    }

    static <E> Function<String, Optional<E>> optional(Function<String, E> present) {
        return text -> Optional.of(present.apply(text));
    }

    private static String oneText(String text) {
        if (text.indexOf(ValueDocument.ELEMENT) >= 0) {
            throw new IllegalArgumentException("must be one text, was a list");
        }
        return text;
    }

    private static long wholeLong(String text) {
        try {
            return COUNT.apply(text);
        } catch (IllegalArgumentException notCount) {
            try {
                return BYTES.apply(text);
            } catch (IllegalArgumentException neither) {
                throw new IllegalArgumentException("must be a whole number such as 40, -1, 10k or 64KiB", neither);
            }
        }
    }

    private static int wholeInt(String text) {
        long whole = wholeLong(text);
        if (whole != (int) whole) {
            throw new IllegalArgumentException("must be >= " + Integer.MIN_VALUE + " and <= " + Integer.MAX_VALUE);
        }
        return (int) whole;
    }

    private static <T> Function<String, T> ruled(String rule, Function<String, T> function) {
        return text -> {
            try {
                return function.apply(text);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(rule, e);
            }
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // The class is an enum's.
    private static Function<String, ?> constant(Class<?> constants) {
        Function<String, ?> named = scalar(Field.choice("value", (Class) constants));
        return text -> named.apply(text.strip().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    private static <T> Function<String, T> scalar(Field<T> field) {
        if (field.type() instanceof ValueType.Scalar<T> scalar) {
            return scalar.parse();
        }
        throw new IllegalArgumentException("field must be one word or number, was " + field);
    }

    private static <T> Function<String, T> stripped(Function<String, T> conversion) {
        return conversion.compose(String::strip);
    }

    /* What the function throws may show the text. */
    private static Function<String, ?> guarded(Class<?> type, Function<String, ?> function) {
        return text -> {
            String failure;
            try {
                Object value = function.apply(text);
                if (value != null) {
                    return value;
                }
                failure = "returned null";
            } catch (Exception e) {
                failure = "threw " + e.getClass().getName();
            }
            throw new IllegalArgumentException(
                    "must be understood by the converter for " + type.getName() + ", which " + failure);
        };
    }

    static Class<?> boxed(Class<?> type) {
        return MethodType.methodType(type).wrap().returnType();
    }
}
