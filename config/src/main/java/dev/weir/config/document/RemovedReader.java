package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of the section {@code removed}: the names of limits that are removed on purpose. */
final class RemovedReader {
    private static final String PATTERN = "[A-Za-z0-9._-]{1,128}";
    private static final ValueType<String> NAME = new ValueType.Scalar<>(
            "a name of 1 to 128 letters, digits, dots, hyphens or underscores", PATTERN, RemovedReader::checked);

    static final Field<List<String>> REMOVED = Field.list("removed", NAME)
            .describedAs(
                    "The names of limits that are removed on purpose. A limit that is only missing keeps its last setting.");

    private RemovedReader() {}

    /** Whether a limit may have this name. */
    static boolean isName(String name) {
        return name.matches(PATTERN);
    }

    /** The rule that a name of a limit breaks. */
    static String rule(String name) {
        String advice = ForeignFields.advice(name);
        return "must have a name of 1 to 128 letters, digits, dots, hyphens or underscores"
                + (advice.isEmpty() ? "" : "; " + advice);
    }

    private static String checked(String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "must be a name of 1 to 128 letters, digits, dots, hyphens or underscores");
        }
        return name;
    }

    /** The names, without those that have a problem. */
    static Set<String> read(@Nullable Node node, MapNode limits, Scope scope) {
        Set<String> names = new LinkedHashSet<>();
        List<Node> items = node == null ? List.of() : node.items();
        for (int i = 0; i < items.size(); i++) {
            Scope at = scope.at(i);
            String name = ValueReader.value(NAME, items.get(i), at);
            if (name != null && limits.entries().containsKey(name)) {
                at.problem(items.get(i), "must not be under limits too");
            } else if (name != null && !names.add(name)) {
                at.problem(items.get(i), "must not be there twice");
            }
        }
        return names;
    }
}
