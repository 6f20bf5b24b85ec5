package dev.weir.config.document;

import dev.weir.config.factory.Field;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A map in a document, with the fields that it may have.
 *
 * @param name the key of the map
 * @param description one sentence for the editor of a document
 * @param fields the fields
 * @param parts the maps in it
 * @param alone the field for which one word in place of the map stands; null = none
 */
public record Section(
        String name,
        String description,
        List<Field<?>> fields,
        List<Section> parts,
        @Nullable Field<?> alone) {
    /** Copies the lists. */
    public Section {
        fields = List.copyOf(fields);
        parts = List.copyOf(parts);
    }

    /** The names of its fields and parts. */
    public Set<String> names() {
        return Stream.concat(fields.stream().map(Field::name), parts.stream().map(Section::name))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
