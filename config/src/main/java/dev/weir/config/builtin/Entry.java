package dev.weir.config.builtin;

import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import java.util.List;
import java.util.function.Function;

/** A name of Weir in documents: its sentence, its fields, and what creates an object from their values. */
record Entry<T>(String name, String description, List<Field<?>> fields, Function<Values, T> creation)
        implements Factory<T> {
    static <T> Entry<T> of(String name, String description, Function<Values, T> creation) {
        return new Entry<>(name, description, List.of(), creation);
    }

    @Override
    public T create(Values values) {
        return creation.apply(values);
    }
}
