package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.LimitPlan.By;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy.RefillRate;
import dev.weir.spi.StrategySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reader of the section {@code share} of a limit. */
final class ShareReader {
    private static final long MOST = 1_000_000_000_000_000_000L - 1;

    private static final Field<Long> QUOTA = Field.count("quota")
            .describedAs("The quota of all instances, in the unit of the limit.")
            .atMost(MOST)
            .needed();
    private static final Field<String> OF = Field.text("of")
            .describedAs("The registry of the instances, by the name that code gives it.")
            .needed();
    private static final Field<By> BY = Field.choice("by", By.class)
            .describedAs("How it is divided: evenly, by weights, or by what each instance needs.")
            .orElse(By.EQUAL);
    private static final Field<Long> WEIGHT = Field.count("weight")
            .describedAs("The weight of this instance. Required with by: weight, and only there.")
            .atMost(1L << 30);
    private static final Field<Long> DEGRADED = Field.count("degraded")
            .describedAs("What this instance has at most while it cannot reach the registry.")
            .atLeast(0L)
            .atMost(MOST)
            .needed();
    static final Section SECTION = new Section(
            "share",
            "The limit becomes this instance's share of a quota of all instances; its burst changes in proportion.",
            List.of(QUOTA, OF, BY, WEIGHT, DEGRADED),
            List.of(),
            null);

    private ShareReader() {}

    /** Null if the limit has no share, or after a problem. */
    static LimitPlan.@Nullable Share read(MapNode limit, @Nullable StrategySpec spec, Scope scope) {
        Node node = limit.get(SECTION.name());
        if (node == null) {
            return null;
        }
        scope.refuse(limit, "must not be given with share", "adaptive", "warm-up");
        Scope at = scope.at(SECTION.name());
        if (!(node instanceof MapNode map)) {
            at.wrong(node, "must be a map with quota, of and degraded");
            return null;
        }
        ReadValues values = ValueReader.section(SECTION, map, at);
        if (values == null || !isWeighted(map, values.get(BY), at) || spec == null || !isScalable(spec, map, at)) {
            return null;
        }
        return new LimitPlan.Share(
                values.get(QUOTA),
                values.get(OF),
                values.get(BY),
                values.find(WEIGHT).orElse(1L),
                values.get(DEGRADED),
                map.at().line(),
                map.at().column());
    }

    private static boolean isWeighted(MapNode map, By by, Scope scope) {
        boolean hasWeight = map.get(WEIGHT.name()) != null;
        if (by != By.WEIGHT) {
            scope.refuse(map, "must not be given without by: weight", WEIGHT.name());
        } else if (!hasWeight) {
            scope.at(WEIGHT.name()).problem(map.at(), "must be given with by: weight", "");
        }
        return (by == By.WEIGHT) == hasWeight;
    }

    private static boolean isScalable(StrategySpec spec, Node node, Scope scope) {
        StrategySpec one = spec instanceof Keyed keyed ? keyed.perKey() : spec;
        if (one instanceof AllOf) {
            scope.problem(node.at(), "must not be given with all-of: a quota is of one limit", "");
            return false;
        }
        Boolean scales = scope.guarded(node, () -> {
            RefillRate least = ScaledSpec.of(one, 1).create(Ticker.system()).refillRate();
            return one instanceof TokenBucket || least == null || least.burst() <= 2;
        });
        if (Boolean.FALSE.equals(scales)) {
            scope.problem(node.at(), "must not be given with an algorithm whose burst does not depend on its rate", "");
        }
        return Boolean.TRUE.equals(scales);
    }
}
