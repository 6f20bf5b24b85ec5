package dev.weir.config.document;

import dev.weir.config.factory.Field;
import java.util.List;
import java.util.stream.Stream;

/** The sections of a document and the fields that no factory has, with their meanings: for the schema and the reference. */
public final class DocumentFields {
    /** What a document says of itself. */
    public static final Section HEADER = Sections.HEADER;

    /** The names that are removed on purpose. */
    public static final Field<List<String>> REMOVED = Sections.REMOVED;

    /** The fields of a limit around those of its algorithm. */
    public static final Section LIMIT = LimitReader.SECTION;

    /** A limit with what belongs to it. */
    public static final Section LIMITER = new Section(
            PlanReader.SECTION.name(),
            PlanReader.SECTION.description(),
            Stream.concat(Stream.of(Templates.TEMPLATE), PlanReader.SECTION.fields().stream())
                    .toList(),
            Stream.concat(PlanReader.SECTION.parts().stream(), Stream.of(Rollout.SECTION))
                    .toList(),
            null);

    private DocumentFields() {}
}
