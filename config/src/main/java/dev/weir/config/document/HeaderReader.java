package dev.weir.config.document;

import dev.weir.config.document.LimitsDocument.Header;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import java.util.List;
import java.util.Set;

/** A reader of the section {@code document}. */
final class HeaderReader {
    static final Field<Long> VERSION = Field.count("version").orElse(0L);
    static final Field<Long> REPLACES = Field.count("replaces").orElse(0L);
    static final Field<String> AUTHOR = Field.text("author").orElse("");
    static final Field<String> REASON = Field.text("reason").orElse("");
    static final Field<Double> PERCENT =
            Field.number("percent").atLeast(0.0).atMost(100.0).orElse(100.0);
    static final List<Field<?>> FIELDS = List.of(VERSION, REPLACES, AUTHOR, REASON, PERCENT);

    private HeaderReader() {}

    /** The header; that of an empty section after a problem. */
    static Header read(MapNode section, Scope scope) {
        ReadValues values = ValueReader.fields(section, FIELDS, Set.of(), scope);
        return values == null
                ? new Header(0, 0, "", "", 0)
                : new Header(
                        values.get(VERSION),
                        values.get(REPLACES),
                        values.get(AUTHOR),
                        values.get(REASON),
                        values.get(PERCENT));
    }
}
