package dev.weir.config.document;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.DocumentFields.Whole;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Place;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Away;
import dev.weir.named.plan.LimitPlan.By;
import dev.weir.named.plan.LimitPlan.Share;
import dev.weir.named.plan.LimitPlan.Stored;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The fields by which all instances have one limit: {@code scope}, {@code mode} and {@code when-away} for one that a store
 * counts, {@code share} for one that is divided.
 */
final class StoreFields {
    static final Field<Counting> SCOPE = Field.choice("scope", Counting.class)
            .describedAs("Whether each instance counts for itself, or a store counts for all of them.")
            .orElse(Counting.LOCAL);

    private static final Field<Use> USE = Field.choice("name", Use.class)
            .describedAs("exact: one question to the store for each request; verdict: answered from "
                    + "its last answer, and counted afterwards; batched: permits are taken in batches.")
            .needed();
    private static final Field<Long> MAX_UNUSED = Field.count("max-unused")
            .describedAs(
                    "The most permits that an instance has taken and not granted. Only batched. Default: 1% of the limit.");
    private static final Field<Duration> EXPIRY = Field.duration("expiry")
            .describedAs("How long it keeps permits that it has not granted. Only batched.")
            .orElse(Duration.ofSeconds(1));
    private static final Field<Duration> FRESH_FOR = Field.duration("fresh-for")
            .describedAs("How long an answer of the store is used. Only verdict.")
            .orElse(Duration.ofSeconds(1));
    static final Field<Function<LongSupplier, Mode>> MODE = ReadValues.section(
                    "mode",
                    "a map, or only its name",
                    USE,
                    List.of(USE, MAX_UNUSED, EXPIRY, FRESH_FOR),
                    StoreFields::mode)
            .describedAs("How an instance uses the store that counts. Only with scope: store. Default: exact.");

    private static final Field<Away> AWAY = Field.choice("name", Away.class)
            .describedAs("local: this instance's part of the limit; open: every request; closed: none.")
            .needed();
    private static final Field<Long> INSTANCES = Field.count("instances")
            .describedAs("How many instances there are. Only local. Default: what code says.")
            .atMost((long) Integer.MAX_VALUE);
    static final Field<ReadValues> WHEN_AWAY = ReadValues.section(
                    "when-away", "a map, or only its name", AWAY, List.of(AWAY, INSTANCES), StoreFields::away)
            .describedAs("What is granted while the store does not answer. Required with scope: store.");

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
                    LimitPlan.SHARE.name(),
                    "a map with quota, of and degraded",
                    null,
                    List.of(QUOTA, OF, BY, WEIGHT, DEGRADED),
                    StoreFields::share)
            .describedAs("The limit becomes this instance's share of a quota of all instances; "
                    + "its burst changes in proportion.");

    private static final int PERCENT = 100;

    enum Counting {
        LOCAL,
        STORE
    }

    enum Use {
        EXACT,
        VERDICT,
        BATCHED
    }

    private StoreFields() {}

    static boolean isLocal(MapNode limit) {
        Node scope = limit.get(SCOPE.name());
        return scope == null || scope.is("local");
    }

    static boolean isStored(MapNode limit) {
        Node scope = limit.get(SCOPE.name());
        return scope != null && scope.is("store");
    }

    static void check(Field<?> field, Whole limit) {
        MapNode map = limit.map();
        if (!isStored(map)) {
            return;
        }
        Scope scope = limit.scope();
        StrategySpec spec = limit.spec();
        List<StrategySpec> parts = spec == null ? List.of() : counted(spec).parts();
        if (parts.stream().anyMatch(Keyed.class::isInstance)) {
            Entry members = map.entries().get(LimitReader.ALL_OF.name());
            String rule = "must be given for the whole limit with scope: store, not for limits in it";
            scope.at(KeyReader.KEY.name()).problem(members == null ? map.at() : members.key(), rule, "");
        }
        if (parts.stream().anyMatch(LimitReader::isOfClient)) {
            String rule = "must not be given with budget or throttle: outcomes are of one instance";
            scope.refuse(map, rule, List.of(field));
        }
        if (map.get(WHEN_AWAY.name()) == null) {
            String rule = "must be given with scope: store: local, open or closed";
            scope.at(WHEN_AWAY.name()).problem(map.at(), rule, "");
        }
    }

    /** The settings by which a store counts a limit that has no problems; null = each instance counts for itself. */
    static @Nullable Stored of(Whole limit, StrategySpec spec) {
        if (limit.values().get(SCOPE) == Counting.LOCAL) {
            return null;
        }
        ReadValues away = limit.values().get(WHEN_AWAY);
        Mode mode = limit.values()
                .find(MODE)
                .map(chosen -> chosen.apply(() -> usualUnused(counted(spec))))
                .orElseGet(Mode::exact);
        Place at = limit.map().at();
        long instances = away.find(INSTANCES).orElse(0L);
        return new Stored(mode, away.get(AWAY), instances, spec instanceof Keyed, at.line(), at.column());
    }

    /** The limit that the store counts: it has the keys, not the limit. */
    static StrategySpec counted(StrategySpec spec) {
        return spec instanceof Keyed keyed ? keyed.perKey() : spec;
    }

    private static ReadValues away(ReadValues values) {
        if (values.get(AWAY) != Away.LOCAL) {
            values.refuse("must not be given without the name local", INSTANCES);
        }
        return values;
    }

    /* By the most unused permits where the document does not say. */
    private static Function<LongSupplier, Mode> mode(ReadValues values) {
        Use use = values.get(USE);
        if (use != Use.BATCHED) {
            values.refuse("must not be given without the name batched", MAX_UNUSED, EXPIRY);
        }
        if (use != Use.VERDICT) {
            values.refuse("must not be given without the name verdict", FRESH_FOR);
        }
        Function<LongSupplier, Mode> mode = usual -> switch (use) {
            case EXACT -> Mode.exact();
            case VERDICT -> new Mode.Verdict(values.get(FRESH_FOR));
            case BATCHED -> new Mode.Batched(values.find(MAX_UNUSED).orElseGet(usual::getAsLong), values.get(EXPIRY));
        };
        Mode unused = mode.apply(() -> 1);
        return mode;
    }

    /* One per cent of the smallest limit in it, at least one permit. */
    private static long usualUnused(StrategySpec spec) {
        long smallest = spec.parts().stream()
                .mapToLong(part -> Parts.create(part, Ticker.system()).target())
                .min()
                .orElse(1);
        return Math.max(1, smallest / PERCENT);
    }

    private static @Nullable Share share(ReadValues values) {
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
    static void checkShare(Field<?> share, Whole limit) {
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
        StrategySpec rate = one instanceof Settled settled ? settled.rate() : one;
        Boolean scales = scope.guarded(node, () -> {
            Account least = LimitPlan.scaled(one, 1).create(Ticker.system()).account();
            return rate instanceof TokenBucket || least == null || least.burst() <= 2;
        });
        if (Boolean.FALSE.equals(scales)) {
            scope.problem(node.at(), "must not be given with an algorithm whose burst does not depend on its rate", "");
        }
    }
}
