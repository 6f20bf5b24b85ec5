package dev.weir.config.document;

import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import java.util.Map;
import java.util.Optional;

/**
 * The values of a map, each of which its field has checked.
 *
 * @param given by the names of the fields
 */
record ReadValues(MapNode map, Map<String, Object> given) implements Values {
    @Override
    public <T> T get(Field<T> field) {
        return find(field).orElseThrow(() -> new IllegalArgumentException(field.name() + " must be given"));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Field<T> field) {
        T value = (T) given.get(field.name());
        return Optional.ofNullable(value == null ? field.fallback() : value);
    }
}
