package dev.weir.config.factory;

import java.util.List;

/**
 * A factory with a name in documents, and the fields that it reads. Stateless; has a public constructor without parameters, and
 * is declared as a service of the interface below that fits: {@link StrategyFactory}, {@link DisciplineFactory},
 * {@link ControllerFactory} or {@link SignalFactory}.
 *
 * @param <T> what is created
 */
public interface Factory<T> {
    /** The name in documents, such as {@code "token-bucket"}: lower-case letters, digits and hyphens. */
    String name();

    /** One sentence for the editor of a document. */
    String description();

    /** The fields, each of them used by {@link #create}. */
    List<Field<?>> fields();

    /**
     * Creates what the document describes.
     *
     * @param values the values of the {@link #fields}, each of which is within its range
     * @throws IllegalArgumentException if the values do not go together; its message is shown to the editor of the document
     */
    T create(Values values);
}
