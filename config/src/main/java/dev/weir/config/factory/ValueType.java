package dev.weir.config.factory;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The type of the values of a field, with the texts that stand for them.
 *
 * @param <T> the type of the values
 */
public sealed interface ValueType<T> {
    /**
     * The type of one word or number.
     *
     * @param label what it is called in messages and in the schema, such as {@code "a duration such as 200ms, 5s or 1h"}
     * @param pattern a regular expression of what may be written, for JSON Schema only: {@code parse} must refuse the rest by itself
     * @param parse throws an {@code IllegalArgumentException} with the rule as its message, such as {@code "must be a duration
     *     such as 5s"}; takes time in proportion to the length of the text
     */
    record Scalar<T>(String label, String pattern, Function<String, T> parse) implements ValueType<T> {}

    /** The type of a list. One value stands for a list of one. */
    record ListOf<E>(ValueType<E> element) implements ValueType<List<E>> {}

    /** The type of a map from text to values. */
    record MapOf<E>(ValueType<E> value) implements ValueType<Map<String, E>> {}

    /**
     * The type of an object that a factory makes, a {@code DisciplineSpec}, a controller or a signal: its name alone, or a map
     * with {@code name} and the factory's fields.
     */
    record Named<T>(Class<T> created) implements ValueType<T> {}

    /**
     * The type of a map of fields.
     *
     * @param label what it is called in messages, such as {@code "a map, or only its capacity"}
     * @param fields what the map may have
     * @param alone the field for which one word in place of the map stands. One that is not among the fields is a flag: {@code
     *     true} stands for a map without fields, {@code false} for none. Null = the map is needed
     * @param off whether {@code false} in place of the map stands for none
     * @param creation creates the value as {@link Factory#create} does; null = as if there were no map
     */
    record Section<T>(
            String label,
            List<Field<?>> fields,
            @Nullable Field<?> alone,
            boolean off,
            Function<Values, ? extends @Nullable T> creation)
            implements ValueType<T> {
        /** Copies the fields. */
        public Section {
            fields = List.copyOf(fields);
        }

        /** A section where {@code false} stands for none if the field that may be alone is a flag. */
        public Section(
                String label,
                List<Field<?>> fields,
                @Nullable Field<?> alone,
                Function<Values, ? extends @Nullable T> creation) {
            this(label, fields, alone, isBeside(fields, alone), creation);
        }

        /** True if the field that may be alone is a flag. */
        public boolean isSwitch() {
            return isBeside(fields, alone);
        }

        /* By identity: the first call of a record's equals costs a start 20 ms. */
        private static boolean isBeside(List<Field<?>> fields, @Nullable Field<?> alone) {
            for (Field<?> field : fields) {
                if (field == alone) {
                    return false;
                }
            }
            return alone != null;
        }
    }

    /**
     * The type of a limit within a limit, as under {@code limits} without queue, executor and the like: a {@code StrategySpec}.
     */
    record Limit() implements ValueType<dev.weir.spi.StrategySpec> {}
}
