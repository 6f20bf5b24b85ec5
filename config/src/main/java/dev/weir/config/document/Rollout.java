package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A staged rollout of a limit: the instances whose place, from 0 to 100, is below the percent have the new fields.
 *
 * @param percent 0 to 100
 * @param others what the instances outside of it have
 * @param within what the instances within it have
 */
record Rollout(double percent, MapNode others, MapNode within) {
    static final double ALL = 100;

    /** That of a limit, which may have none; null after a problem. */
    static @Nullable Rollout of(MapNode limit, Scope scope) {
        Node node = limit.get(DocumentFields.ROLLOUT.name());
        MapNode rest = limit.without(DocumentFields.ROLLOUT.name());
        if (node == null) {
            return new Rollout(ALL, rest, rest);
        }
        Scope at = scope.at(DocumentFields.ROLLOUT.name());
        MapNode map = ValueReader.sectionMap(DocumentFields.ROLLOUT_MAP, node, at);
        ReadValues values = map == null
                ? null
                : ValueReader.fields(map, List.of(DocumentFields.PERCENT), Set.of(DocumentFields.TO.name()), at);
        if (map == null || values == null) {
            return null;
        }
        double percent = values.get(DocumentFields.PERCENT);
        Node to = map.get(DocumentFields.TO.name());
        if (to == null) {
            TextNode off = new TextNode(node.at(), "0", false);
            return new Rollout(percent, Templates.merged(rest, MapNode.of(DocumentFields.ENFORCE.name(), off)), rest);
        }
        if (to instanceof MapNode fields) {
            return new Rollout(percent, rest, Templates.merged(rest, fields));
        }
        at.at(DocumentFields.TO.name()).wrong(to, "must be a map of fields");
        return null;
    }

    /** What the instance at this place has; the place is asked for only if it matters. */
    MapNode at(DoubleSupplier place) {
        return percent >= ALL || (percent > 0 && place.getAsDouble() < percent) ? within : others;
    }
}
