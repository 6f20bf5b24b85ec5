package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.config.document.LimitPlan.Away;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.distributed.Mode;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the fields by which a store counts a limit for all instances: {@code scope}, {@code mode} and {@code when-away}.
 */
final class ClusterReader {
    static final Field<Counting> SCOPE = Field.choice("scope", Counting.class)
            .describedAs("Whether each instance counts for itself, or a store counts for all of them.")
            .orElse(Counting.LOCAL);

    private static final Field<Use> USE = Field.choice("name", Use.class)
            .describedAs("exact: one question to the store for each request; verdict: answered from "
                    + "its last answer, and counted afterwards; leased: permits are taken in batches.")
            .needed();
    private static final Field<Long> MAX_UNUSED = Field.count("max-unused")
            .describedAs(
                    "The most permits that an instance has taken and not granted. Only leased. Default: 1% of the limit.");
    private static final Field<Duration> EXPIRY = Field.duration("expiry")
            .describedAs("How long it keeps permits that it has not granted. Only leased.")
            .orElse(Duration.ofSeconds(1));
    private static final Field<Duration> FRESH_FOR = Field.duration("fresh-for")
            .describedAs("How long an answer of the store is used. Only verdict.")
            .orElse(Duration.ofSeconds(1));
    static final Section MODE = new Section(
            "mode",
            "How an instance uses the store that counts. Only with scope: cluster. Default: exact.",
            List.of(USE, MAX_UNUSED, EXPIRY, FRESH_FOR),
            List.of(),
            USE);

    private static final Field<Away> AWAY = Field.choice("name", Away.class)
            .describedAs("local: this instance's part of the limit; open: every request; closed: none.")
            .needed();
    private static final Field<Long> INSTANCES = Field.count("instances")
            .describedAs("How many instances there are. Only local. Default: what code says.")
            .atMost((long) Integer.MAX_VALUE);
    static final Section WHEN_AWAY = new Section(
            "when-away",
            "What is granted while the store does not answer. Required with scope: cluster.",
            List.of(AWAY, INSTANCES),
            List.of(),
            AWAY);

    private static final String[] LOCAL_ONLY = {
        "enforce", "track-permits", "hot-keys", "queue", "adaptive", "executor", "share", "max-keys", "debt-cells"
    };

    private static final int PERCENT = 100;

    /** The place where a limit is counted: in each instance or in a store. */
    enum Counting {
        LOCAL,
        CLUSTER
    }

    /** The modes of a limit that a store counts, by their names. */
    enum Use {
        EXACT,
        VERDICT,
        LEASED
    }

    private ClusterReader() {}

    /** Null if each instance counts for itself, or after a problem. */
    static LimitPlan.@Nullable Cluster read(MapNode map, @Nullable StrategySpec spec, Scope scope) {
        ReadValues values = ValueReader.only(List.of(SCOPE), map, scope);
        if (values == null) {
            return null;
        }
        if (values.get(SCOPE) == Counting.LOCAL) {
            scope.refuse(map, "must not be given without scope: cluster", MODE.name(), WHEN_AWAY.name());
            return null;
        }
        long before = scope.count();
        scope.refuse(map, "must not be given with scope: cluster", LOCAL_ONLY);
        refuseKeysInside(map, spec, scope);
        ReadValues away = away(map, scope.at(WHEN_AWAY.name()));
        Mode mode = mode(map.get(MODE.name()), spec, scope.at(MODE.name()));
        if (scope.count() > before || away == null || mode == null) {
            return null;
        }
        return new LimitPlan.Cluster(
                mode,
                away.get(AWAY),
                away.find(INSTANCES).orElse(0L),
                spec instanceof Keyed,
                map.at().line(),
                map.at().column());
    }

    /** The limit that the store counts: it has the keys, not the limit. */
    static StrategySpec counted(StrategySpec spec) {
        return spec instanceof Keyed keyed ? keyed.perKey() : spec;
    }

    private static void refuseKeysInside(MapNode map, @Nullable StrategySpec spec, Scope scope) {
        if (spec != null && counted(spec).parts().stream().anyMatch(Keyed.class::isInstance)) {
            Entry members = map.entries().get(LimitReader.ALL_OF.name());
            scope.at(KeyReader.KEY.name())
                    .problem(
                            members == null ? map.at() : members.key(),
                            "must be given for the whole limit with scope: cluster, not for limits in it",
                            "");
        }
    }

    private static @Nullable ReadValues away(MapNode limit, Scope scope) {
        Node node = limit.get(WHEN_AWAY.name());
        if (node == null) {
            scope.problem(limit.at(), "must be given with scope: cluster: local, open or closed", "");
            return null;
        }
        ReadValues values = ValueReader.section(WHEN_AWAY, node, scope);
        if (values != null && values.get(AWAY) != Away.LOCAL) {
            scope.refuse(values.map(), "must not be given without the name local", INSTANCES.name());
        }
        return values;
    }

    private static @Nullable Mode mode(@Nullable Node node, @Nullable StrategySpec spec, Scope scope) {
        if (node == null) {
            return Mode.exact();
        }
        ReadValues values = ValueReader.section(MODE, node, scope);
        if (values == null) {
            return null;
        }
        Use use = values.get(USE);
        if (use != Use.LEASED) {
            scope.refuse(values.map(), "must not be given without the name leased", MAX_UNUSED.name(), EXPIRY.name());
        }
        if (use != Use.VERDICT) {
            scope.refuse(values.map(), "must not be given without the name verdict", FRESH_FOR.name());
        }
        return scope.guarded(node, () -> mode(use, values, spec));
    }

    private static Mode mode(Use use, ReadValues values, @Nullable StrategySpec spec) {
        return switch (use) {
            case EXACT -> Mode.exact();
            case VERDICT -> new Mode.Verdict(values.get(FRESH_FOR));
            case LEASED ->
                new Mode.Leased(
                        values.find(MAX_UNUSED).orElseGet(() -> spec == null ? 1 : usualUnused(counted(spec))),
                        values.get(EXPIRY));
        };
    }

    /* One per cent of the smallest limit in it, at least one permit. */
    private static long usualUnused(StrategySpec spec) {
        long smallest = spec.parts().stream()
                .mapToLong(part -> part.create(Ticker.system()).target())
                .min()
                .orElse(1);
        return Math.max(1, smallest / PERCENT);
    }
}
