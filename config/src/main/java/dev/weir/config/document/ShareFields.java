package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.DocumentFields.Whole;
import dev.weir.config.document.LimitPlan.By;
import dev.weir.config.document.LimitPlan.Share;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Place;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy.RefillRate;
import dev.weir.spi.StrategySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The section {@code share} of a limit. */
final class ShareFields {
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
    static final Field<Share> SHARE = ReadValues.section(
                    "share",
                    "a map with quota, of and degraded",
                    null,
                    List.of(QUOTA, OF, BY, WEIGHT, DEGRADED),
                    ShareFields::read)
            .describedAs("The limit becomes this instance's share of a quota of all instances; "
                    + "its burst changes in proportion.");

    private ShareFields() {}

    private static @Nullable Share read(ReadValues values) {
        boolean hasWeight = values.find(WEIGHT).isPresent();
        By by = values.get(BY);
        if (by != By.WEIGHT) {
            values.refuse("must not be given without by: weight", WEIGHT);
        } else if (!hasWeight) {
            values.problem(WEIGHT, "must be given with by: weight", "");
        }
        Place at = values.map().at();
        return (by == By.WEIGHT) != hasWeight
                ? null
                : new Share(
                        values.get(QUOTA),
                        values.get(OF),
                        by,
                        values.find(WEIGHT).orElse(1L),
                        values.get(DEGRADED),
                        at.line(),
                        at.column());
    }

    /** Checks that the limit is one whose burst changes in proportion. */
    static void check(Field<?> share, Whole limit) {
        Node node = limit.map().get(share.name());
        StrategySpec spec = limit.spec();
        if (node == null || spec == null || limit.values().find(SHARE).isEmpty()) {
            return;
        }
        Scope scope = limit.scope().at(share.name());
        StrategySpec one = spec instanceof Keyed keyed ? keyed.perKey() : spec;
        if (one instanceof AllOf) {
            scope.problem(node.at(), "must not be given with all-of: a quota is of one limit", "");
            return;
        }
        Boolean scales = scope.guarded(node, () -> {
            RefillRate least = LimitPlan.scaled(one, 1).create(Ticker.system()).refillRate();
            return one instanceof TokenBucket || least == null || least.burst() <= 2;
        });
        if (Boolean.FALSE.equals(scales)) {
            scope.problem(node.at(), "must not be given with an algorithm whose burst does not depend on its rate", "");
        }
    }
}
