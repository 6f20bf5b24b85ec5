package dev.weir.config.factory;

/**
 * A field of a document: its name, type, range, default and meaning. Immutable.
 *
 * @param <T> the type of its values
 */
public final class Field<T> {
    private final String name;

    private Field(String name) {
        this.name = name;
    }

    /** The name in documents. */
    public String name() {
        return name;
    }
}
