package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Field;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of a limit besides those of its algorithm. */
final class LimitFields {
    static final String ALGORITHM = "algorithm";
    static final String ALL_OF = "all-of";
    static final String WARM_UP = "warm-up";

    static final Field<Long> MAX_KEYS = Field.count("max-keys")
            .describedAs("How many keys are kept. Only with key.")
            .atMost(1L << 30)
            .orElse(10_000L);
    static final Field<Long> DEBT_CELLS = Field.count("debt-cells")
            .describedAs("The cells that keep what evicted keys have used. Only with key. Default: by max-keys.")
            .atMost(1L << 29);
    static final List<Field<?>> AROUND = List.of(MAX_KEYS, DEBT_CELLS);

    /** Fields that are neither a word nor a number. */
    static final Set<String> SPECIAL = Set.of(KeyDimensions.KEY, WARM_UP);

    static final Set<String> AROUND_NAMES = Set.of(KeyDimensions.KEY, WARM_UP, MAX_KEYS.name(), DEBT_CELLS.name());

    static final Field<Duration> PERIOD =
            Field.duration("period").describedAs("How long the rise takes.").needed();
    static final Field<Double> FLOOR = Field.share("floor")
            .describedAs("The share of the limit to start from.")
            .orElse(0.33);
    static final Field<RampCurve> CURVE = Field.choice("curve", RampCurve.class)
            .describedAs("The shape of the rise.")
            .orElse(RampCurve.LINEAR);
    static final Field<Duration> COOL_AFTER_IDLE =
            Field.duration("cool-after-idle").describedAs("Cold again after so long without requests. Default: never.");
    static final List<Field<?>> WARM_UP_FIELDS = List.of(PERIOD, FLOOR, CURVE, COOL_AFTER_IDLE);

    private LimitFields() {}

    static boolean isValue(String name) {
        return AROUND_NAMES.contains(name) && !SPECIAL.contains(name);
    }

    /** The map; one word stands for a map with only this key. */
    static @Nullable MapNode asMap(Node node, String key, Scope scope) {
        if (node instanceof MapNode map) {
            return map;
        }
        if (node instanceof TextNode text && !text.isNull()) {
            return MapNode.of(key, node);
        }
        scope.wrong(node, "must be a map, or only its " + key);
        return null;
    }
}
