package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.spi.StrategySpec;
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
    private static final Field<Double> PERCENT = Field.number("percent")
            .describedAs("The share of the instances, in per cent.")
            .atLeast(0.0)
            .atMost(100.0)
            .needed();

    private static final Field<StrategySpec> TO = Field.limit("to")
            .describedAs("The fields that these have in place of those outside. Default: the limit as it is; "
                    + "the other instances then only count what it would refuse.");
    private static final ValueType.Section<Double> SECTION = new ValueType.Section<>(
            "a map, or only its percent", List.of(PERCENT, TO), PERCENT, values -> values.get(PERCENT));
    static final Field<Double> ROLLOUT = Field.of("rollout", SECTION)
            .describedAs("For how many instances a change is; the others have what stands outside of it.");

    static final double ALL = 100;

    /** That of a limit, which may have none; null after a problem. */
    static @Nullable Rollout of(MapNode limit, Scope scope) {
        Node node = limit.get(ROLLOUT.name());
        MapNode rest = limit.without(ROLLOUT.name());
        if (node == null) {
            return new Rollout(ALL, rest, rest);
        }
        Scope at = scope.at(ROLLOUT.name());
        MapNode map = ValueReader.sectionMap(SECTION, node, at);
        ReadValues values = map == null ? null : ValueReader.fields(map, List.of(PERCENT), Set.of(TO.name()), at);
        if (map == null || values == null) {
            return null;
        }
        double percent = values.get(PERCENT);
        Node to = map.get(TO.name());
        if (to == null) {
            TextNode off = new TextNode(node.at(), "0", false);
            return new Rollout(percent, Templates.merged(rest, MapNode.of(DocumentFields.ENFORCE.name(), off)), rest);
        }
        if (to instanceof MapNode fields) {
            return new Rollout(percent, rest, Templates.merged(rest, fields));
        }
        at.at(TO.name()).wrong(to, "must be a map of fields");
        return null;
    }

    /** What the instance at this place has; the place is asked for only if it matters. */
    MapNode at(DoubleSupplier place) {
        return percent >= ALL || (percent > 0 && place.getAsDouble() < percent) ? within : others;
    }
}
