package dev.weir.config.document;

import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.document.LimitPlan.KeyMissing;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.keyed.Keyed;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A reader of one limit of the section {@code limits}, with its queue, its executor and the rest. */
final class PlanReader {
    static final Field<Double> ENFORCE = Field.share("enforce")
            .describedAs("The share of requests for which it is enforced; 0 = it only counts what it would refuse.")
            .orElse(1.0);
    private static final Field<Long> TRACK_PERMITS = Field.count("track-permits")
            .describedAs("Tracks one held permit in so many, to find permits that are not released; 0 = none.")
            .atLeast(0L)
            .atMost((long) Integer.MAX_VALUE)
            .orElse(0L);
    private static final Field<Boolean> HOT_KEYS = Field.flag("hot-keys")
            .describedAs("Whether the keys with the most requests are recorded. Only with key.")
            .orElse(false);
    private static final Field<KeyMissing> KEY_MISSING = Field.choice("key-missing", KeyMissing.class)
            .describedAs("What becomes of a request without key: refuse; share: all of them have one key; "
                    + "skip: the limit does not count it. Only with key.")
            .orElse(KeyMissing.REFUSE);
    private static final List<Field<?>> FIELDS = List.of(ENFORCE, TRACK_PERMITS, HOT_KEYS, KEY_MISSING);

    /** A limit without what is put in it beforehand: its template and its rollout. */
    static final Section SECTION = new Section(
            "limiter",
            "A limit, and what belongs to it.",
            Stream.of(FIELDS, List.of(ClusterReader.SCOPE), LimitReader.SECTION.fields())
                    .<Field<?>>flatMap(List::stream)
                    .toList(),
            Stream.concat(
                            LimitReader.SECTION.parts().stream(),
                            Stream.of(
                                    QueueReader.SECTION,
                                    AdaptiveReader.SECTION,
                                    PoolReader.SECTION,
                                    ClusterReader.MODE,
                                    ClusterReader.WHEN_AWAY,
                                    ShareReader.SECTION))
                    .toList(),
            null);

    static final Set<String> NAMES = LimitReader.names(SECTION);
    private static final String[] OWN_PARTS = {"queue", "adaptive", "executor", "mode", "when-away", "share"};

    private PlanReader() {}

    /** The plan of a map that has inherited and taken over everything; null after a problem. */
    static @Nullable LimitPlan read(MapNode map, Origin origin, Scope limit) {
        long before = limit.count();
        Scope scope = limit.by(KeyReader.dimensions(map.without(OWN_PARTS)));
        StrategySpec spec = LimitReader.read(map, NAMES, scope);
        ReadValues values = ValueReader.only(FIELDS, map, scope);
        QueueSpec queue = part(map, QueueReader.SECTION, QueueReader::read, scope);
        LimitPlan.Adaptive adaptive = part(
                map, AdaptiveReader.SECTION, (node, inner) -> AdaptiveReader.read(node, queue != null, inner), scope);
        LimitPlan.Pool pool = part(map, PoolReader.SECTION, PoolReader::read, scope);
        LimitPlan.Cluster cluster = ClusterReader.read(map, spec, scope);
        LimitPlan.Share share = ShareReader.read(map, spec, scope);
        if (!KeyReader.isKeyed(map)) {
            scope.refuse(map, "must not be given without key", HOT_KEYS.name(), KEY_MISSING.name());
        }
        if (spec != null && adaptive != null && isFixed(spec.parts().get(0))) {
            scope.refuse(
                    map,
                    "must not be given with algorithm closed or open: nothing can be adapted",
                    AdaptiveReader.SECTION.name());
        }
        if (spec == null || values == null || scope.count() > before) {
            return null;
        }
        return new LimitPlan(
                scope.limiter(),
                cluster == null ? spec : ClusterReader.counted(spec),
                values.get(ENFORCE),
                scope.dimensions(),
                queue,
                adaptive,
                pool,
                cluster,
                share,
                Math.toIntExact(values.get(TRACK_PERMITS)),
                values.get(HOT_KEYS),
                values.get(KEY_MISSING),
                origin,
                LimitPlan.Fields.of(map));
    }

    private static boolean isFixed(StrategySpec part) {
        StrategySpec one = part instanceof Keyed keyed ? keyed.perKey().parts().get(0) : part;
        StrategySpec warm = one instanceof WarmUp warming ? warming.target() : one;
        return warm instanceof Closed || warm instanceof Open;
    }

    private static <T> @Nullable T part(
            MapNode map, Section section, BiFunction<Node, Scope, @Nullable T> read, Scope scope) {
        Node node = map.get(section.name());
        return node == null ? null : read.apply(node, scope.at(section.name()));
    }
}
