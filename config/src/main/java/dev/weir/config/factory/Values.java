package dev.weir.config.factory;

import java.util.Optional;

/** The values that a document gives the fields of one {@link Factory}. */
public interface Values {
    /**
     * The value of a field.
     *
     * @throws IllegalArgumentException if the document does not give one and the field has no default
     */
    default <T> T get(Field<T> field) {
        return find(field).orElseThrow(() -> new IllegalArgumentException(field.name() + " must be given"));
    }

    /** The value of a field, or its default, if there is either. */
    <T> Optional<T> find(Field<T> field);
}
