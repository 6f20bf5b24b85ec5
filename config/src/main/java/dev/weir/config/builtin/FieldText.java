package dev.weir.config.builtin;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.named.plan.PermitRate;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The text of values of fields, as a document has it. */
public final class FieldText {
    /** By the ordinals of their constants. */
    private static final List<String> UNITS = List.of("ns", "us", "ms", "s", "min", "h", "d");

    private static final long LARGE = 1L << 20;

    private FieldText() {}

    public static String of(Object value) {
        if (value instanceof Duration duration) {
            return time(duration);
        }
        if (value instanceof PermitRate rate) {
            return rate.permits() + "/" + time(rate.period()).replaceFirst("^1(?=\\D)", "");
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        if (value instanceof Double number) {
            return new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
        }
        return value.toString();
    }

    private static String time(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        for (int i = TimeUnit.values().length - 1; i >= 0; i--) {
            TimeUnit unit = TimeUnit.values()[i];
            if (Duration.of(unit.convert(duration), unit.toChronoUnit()).equals(duration)) {
                return unit.convert(duration) + UNITS.get(i);
            }
        }
        return duration.toString();
    }

    /** As {@link #of}, but with large powers of two as such: {@code "2^60"}. */
    private static String bound(Object value) {
        long number = value instanceof Long whole ? whole : 0;
        if (number < LARGE - 1) {
            return of(value);
        }
        if (Long.bitCount(number) == 1) {
            return "2^" + Long.numberOfTrailingZeros(number);
        }
        return Long.bitCount(number + 1) == 1 ? "2^" + Long.numberOfTrailingZeros(number + 1) + " - 1" : of(value);
    }

    /** The range of a field in words: {@code "1 to 64"}; empty = any value. */
    public static String range(Field<?> field) {
        Object min = field.min();
        Object max = field.max();
        if (min == null) {
            return max == null ? "" : "at most " + bound(max);
        }
        return max == null ? "at least " + bound(min) : bound(min) + " to " + bound(max);
    }

    public static String label(ValueType<?> type) {
        if (type instanceof ValueType.Scalar<?> scalar) {
            return scalar.label().replaceFirst(" such as .*", "");
        }
        if (type instanceof ValueType.ListOf<?> list) {
            return label(list.element()) + ", or a list of these";
        }
        if (type instanceof ValueType.MapOf<?> map) {
            return "a map from text to " + label(map.value());
        }
        if (type instanceof ValueType.Named<?> named) {
            return "a " + Factories.kind(named.created());
        }
        return type instanceof ValueType.Section<?> ? "a map" : "a limit";
    }
}
