package dev.weir.config.document;

import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.LimitPlan.KeyMissing;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A reader of one limit of the section {@code limits}, with its queue, its executor and the rest. */
final class PlanReader {
    static final Field<Double> ENFORCE = Field.share("enforce")
            .describedAs("The share of requests for which it is enforced; 0 = it only counts what it would refuse.")
            .orElse(1.0);
    static final Field<Long> TRACK_PERMITS = Field.count("track-permits")
            .describedAs("Tracks one held permit in so many, to find permits that are not released; 0 = none.")
            .atLeast(0L)
            .atMost((long) Integer.MAX_VALUE)
            .orElse(0L);
    static final Field<Boolean> HOT_KEYS = Field.flag("hot-keys")
            .describedAs("Whether the keys with the most requests are recorded. Only with key.")
            .orElse(false);
    static final Field<KeyMissing> KEY_MISSING = Field.choice("key-missing", KeyMissing.class)
            .describedAs("What becomes of a request without key: refuse; share: all of them have one key; "
                    + "skip: the limit does not count it. Only with key.")
            .orElse(KeyMissing.REFUSE);
    static final String QUEUE = "queue";
    static final String ADAPTIVE = "adaptive";
    static final String EXECUTOR = "executor";
    static final Set<String> NAMES = Set.of(
            ENFORCE.name(),
            TRACK_PERMITS.name(),
            HOT_KEYS.name(),
            KEY_MISSING.name(),
            QUEUE,
            ADAPTIVE,
            EXECUTOR,
            ClusterReader.SCOPE.name(),
            ClusterReader.MODE,
            ClusterReader.WHEN_AWAY,
            ShareReader.SHARE);

    static final List<Field<?>> FIELDS = List.of(ENFORCE, TRACK_PERMITS, HOT_KEYS, KEY_MISSING);

    private PlanReader() {}

    /** The plan of a map that has inherited and taken over everything; null after a problem. */
    static @Nullable LimitPlan read(MapNode map, Origin origin, Scope limit) {
        long before = limit.count();
        KeyDimensions dimensions = KeyDimensions.of(
                map.without(QUEUE, ADAPTIVE, EXECUTOR, ClusterReader.MODE, ClusterReader.WHEN_AWAY, ShareReader.SHARE));
        Scope scope = new Scope(limit.problems(), limit.factories(), limit.limiter(), limit.path(), dimensions);
        StrategySpec spec = LimitReader.read(map, NAMES, scope);
        ReadValues values = ValueReader.fields(map.only(PlanReader::isField), FIELDS, Set.of(), scope);
        QueueSpec queue = part(map, QUEUE, QueueReader::read, scope);
        Entry adapting = map.entries().get(ADAPTIVE);
        LimitPlan.Adaptive adaptive = adapting == null || AdaptiveReader.isOff(adapting.value())
                ? null
                : part(map, ADAPTIVE, (node, inner) -> AdaptiveReader.read(node, queue != null, inner), scope);
        LimitPlan.Pool pool = part(map, EXECUTOR, PoolReader::read, scope);
        LimitPlan.Cluster cluster = ClusterReader.read(map, spec, scope);
        LimitPlan.Share share = ShareReader.read(map, spec, scope);
        if (!KeyDimensions.isKeyed(map)) {
            ClusterReader.refuse(
                    map, List.of(HOT_KEYS.name(), KEY_MISSING.name()), "must not be given without key", scope);
        }
        if (spec != null && adaptive != null && isFixed(spec.parts().get(0))) {
            ClusterReader.refuse(
                    map,
                    List.of(ADAPTIVE),
                    "must not be given with algorithm closed or open: nothing can be adapted",
                    scope);
        }
        if (spec == null || values == null || scope.count() > before) {
            return null;
        }
        return new LimitPlan(
                scope.limiter(),
                cluster == null ? spec : ClusterReader.counted(spec),
                values.get(ENFORCE),
                dimensions.names(),
                queue,
                adaptive,
                pool,
                cluster,
                share,
                Math.toIntExact(values.get(TRACK_PERMITS)),
                values.get(HOT_KEYS),
                values.get(KEY_MISSING),
                origin,
                Flat.of(map));
    }

    private static boolean isField(String name) {
        return FIELDS.stream().anyMatch(field -> field.name().equals(name));
    }

    private static boolean isFixed(StrategySpec part) {
        StrategySpec one = part instanceof Keyed keyed ? keyed.perKey().parts().get(0) : part;
        StrategySpec warm = one instanceof WarmUp warming ? warming.target() : one;
        return warm instanceof Closed || warm instanceof Open;
    }

    private static <T> @Nullable T part(
            MapNode map, String key, BiFunction<Node, Scope, @Nullable T> read, Scope scope) {
        Entry entry = map.entries().get(key);
        return entry == null ? null : read.apply(entry.value(), scope.at(key));
    }
}
