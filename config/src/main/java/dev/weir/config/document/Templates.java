package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Field;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The templates of a document. A map inherits what its template has and it has not, field by field. */
final class Templates {
    static final Field<String> TEMPLATE = Field.text("template")
            .describedAs("The template from which the limit has all fields that it does not give.");
    private static final int MAX_NAMES = 50;

    private final MapNode templates;
    private final int maxMerged;
    private int merged;

    /** Those of a document in which limits may inherit so many values in all. */
    Templates(MapNode templates, int maxMerged) {
        this.templates = templates;
        this.maxMerged = maxMerged;
    }

    /** The limit with all that it inherits, whose templates are added to the names, the nearest first; null after a problem. */
    @Nullable
    MapNode inherited(MapNode limit, Set<String> names, Scope scope) {
        Deque<MapNode> chain = new ArrayDeque<>();
        MapNode next = limit;
        while (next != null) {
            chain.push(next.without(TEMPLATE.name()));
            Node named = next.get(TEMPLATE.name());
            if (named == null) {
                break;
            }
            next = template(named, names, scope.at(TEMPLATE.name()));
            if (next == null) {
                return null;
            }
        }
        MapNode result = chain.pop();
        while (!chain.isEmpty()) {
            result = merged(result, chain.pop());
            merged += result.size();
            if (merged > maxMerged) {
                scope.problem(limit.at(), "cannot inherit more: the templates are used too often", "");
                return null;
            }
        }
        return result;
    }

    private @Nullable MapNode template(Node name, Set<String> names, Scope scope) {
        if (!(name instanceof TextNode text) || text.isNull()) {
            scope.wrong(name, "must be the name of a template");
            return null;
        }
        Node found = templates.get(text.text());
        if (found == null) {
            scope.problem(name, Suggestion.rule(text.text(), templates.entries().keySet()));
            return null;
        }
        if (!names.add(text.text())) {
            scope.problem(name, "must not inherit from itself: " + String.join(" -> ", names));
            return null;
        }
        if (names.size() > MAX_NAMES) {
            scope.problem(name, "must not inherit from more than " + MAX_NAMES + " templates");
            return null;
        }
        if (found instanceof MapNode map) {
            return map;
        }
        scope.wrong(found, "must be the name of a map");
        return null;
    }

    /** The first with all of the second: maps field by field, everything else replaced. */
    static MapNode merged(MapNode base, MapNode over) {
        Map<String, Entry> entries = new LinkedHashMap<>(base.entries());
        over.entries().forEach((key, entry) -> entries.merge(key, entry, Templates::merged));
        return new MapNode(over.at(), entries);
    }

    private static Entry merged(Entry base, Entry over) {
        return base.value() instanceof MapNode first && over.value() instanceof MapNode second
                ? new Entry(over.key(), merged(first, second))
                : over;
    }
}
