package dev.weir.config.factory;

import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field of a document: its name, its type of value, its range, its default and its meaning. Immutable; the methods that are
 * called like a property return a copy with it.
 *
 * @param name in documents: lower-case letters, digits and hyphens
 * @param type what may be written
 * @param description a sentence for the editor of a document
 * @param min the lowest value; null = any
 * @param max the highest value; null = any
 * @param fallback the value where the document gives none; null = none
 * @param required whether the document must give a value
 * @param <T> the type of its values
 */
public record Field<T>(
        String name,
        ValueType<T> type,
        String description,
        @Nullable T min,
        @Nullable T max,
        @Nullable T fallback,
        boolean required) {
    /** Checks the components. */
    public Field {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(description, "description");
    }

    /** A field of this type, without range and default, that may be missing. */
    public static <T> Field<T> of(String name, ValueType<T> type) {
        return new Field<>(name, type, "", null, null, null, false);
    }

    /** A whole number of permits or the like, at least 1; {@code 10k} and {@code 2M} are understood. */
    public static Field<Long> count(String name) {
        return of(name, Units.COUNT).atLeast(1L);
    }

    /** A finite number. */
    public static Field<Double> number(String name) {
        return of(name, Units.NUMBER);
    }

    /** A share from 0 to 1, such as {@code 0.1} or {@code 10%}. */
    public static Field<Double> share(String name) {
        return of(name, Units.SHARE).atLeast(0.0).atMost(1.0);
    }

    /** A duration, not negative, such as {@code 200ms} or {@code PT0.2S}. */
    public static Field<Duration> duration(String name) {
        return of(name, Units.DURATION).atLeast(Duration.ZERO);
    }

    /** Permits per time, such as {@code 100/s} or {@code 1000/15min}. */
    public static Field<PermitRate> rate(String name) {
        return of(name, Units.RATE);
    }

    /** A number of bytes, such as {@code 64KiB}. */
    public static Field<Long> bytes(String name) {
        return of(name, Units.BYTES).atLeast(0L);
    }

    /** {@code true} or {@code false}. */
    public static Field<Boolean> flag(String name) {
        return of(name, Units.FLAG);
    }

    /** Text of 1 to 128 characters without control characters. */
    public static Field<String> text(String name) {
        return of(name, Units.TEXT);
    }

    /** One of the constants, in lower case with hyphens. */
    public static <E extends Enum<E>> Field<E> choice(String name, Class<E> constants) {
        Map<String, E> names = new LinkedHashMap<>();
        for (E constant : constants.getEnumConstants()) {
            names.put(constant.name().toLowerCase(Locale.ROOT).replace('_', '-'), constant);
        }
        return of(name, Units.choice(names));
    }

    /** A list of values of this type. */
    public static <E> Field<List<E>> list(String name, ValueType<E> element) {
        return of(name, new ValueType.ListOf<>(element));
    }

    /** A map from text to values of this type. */
    public static <E> Field<Map<String, E>> map(String name, ValueType<E> value) {
        return of(name, new ValueType.MapOf<>(value));
    }

    /** A discipline ({@code DisciplineSpec}), controller or signal by the name that a factory gives it. */
    public static <T> Field<T> named(String name, Class<T> created) {
        return of(name, new ValueType.Named<>(created));
    }

    /** Another limit. */
    public static Field<StrategySpec> limit(String name) {
        return of(name, new ValueType.Limit());
    }

    /** The same with a sentence about its meaning. */
    public Field<T> describedAs(String sentence) {
        return new Field<>(name, type, sentence, min, max, fallback, required);
    }

    /** The same with a lowest value. */
    public Field<T> atLeast(T lowest) {
        return new Field<>(name, type, description, lowest, max, fallback, required);
    }

    /** The same with a highest value. */
    public Field<T> atMost(T highest) {
        return new Field<>(name, type, description, min, highest, fallback, required);
    }

    /** The same with a value for where the document gives none. */
    public Field<T> orElse(T value) {
        return new Field<>(name, type, description, min, max, value, required);
    }

    /** The same, and the document must give a value. */
    public Field<T> needed() {
        return new Field<>(name, type, description, min, max, fallback, true);
    }
}
