package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values of a map by the names of the fields, each of which its field has checked. */
record ReadValues(MapNode map, Map<String, Object> given, Scope scope) implements Values {
    @Override
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Field<T> field) {
        T value = (T) given.get(field.name());
        return Optional.ofNullable(value == null ? field.fallback() : value);
    }

    /** A field whose value is a map of fields; of what the creation reports, the value is a problem. */
    static <T> Field<T> section(
            String name,
            String label,
            @Nullable Field<?> alone,
            List<Field<?>> fields,
            Function<ReadValues, ? extends @Nullable T> creation) {
        return Field.of(
                name, new ValueType.Section<>(label, fields, alone, values -> creation.apply((ReadValues) values)));
    }

    /** The value of this field, or the map without it, breaks a rule. */
    void problem(Field<?> field, String rule, String value) {
        Node node = map.get(field.name());
        scope.at(field.name()).problem(node == null ? map.at() : node.at(), rule, value);
    }

    void refuse(String rule, Field<?>... fields) {
        scope.refuse(map, rule, List.of(fields));
    }
}
