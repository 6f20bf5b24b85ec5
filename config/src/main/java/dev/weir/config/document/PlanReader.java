package dev.weir.config.document;

import dev.weir.config.document.DocumentFields.Whole;
import dev.weir.config.document.tree.FlatSlot;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Stored;
import dev.weir.named.plan.Origin;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A reader of one limit of the section {@code limits}, by the table of its options. */
final class PlanReader {
    private PlanReader() {}

    /** The plan of a limit that has inherited and taken over everything; null after a problem. */
    static @Nullable LimitPlan read(MapNode map, Origin origin, Scope limit) {
        long before = limit.count();
        String[] around = DocumentFields.AROUND.stream().map(Field::name).toArray(String[]::new);
        Scope scope = limit.by(KeyReader.dimensions(map.without(around)));
        StrategySpec spec = LimitReader.read(map, DocumentFields.BESIDE, scope);
        ReadValues values =
                ValueReader.given(map, DocumentFields.AROUND, map.entries().keySet(), scope);
        Whole whole = new Whole(map, spec, values, scope);
        DocumentFields.check(whole);
        if (spec == null || scope.count() > before) {
            return null;
        }
        return scope.guarded(map, () -> {
            Stored stored = StoreFields.of(whole, spec);
            StrategySpec counted = stored == null ? spec : StoreFields.counted(spec);
            Map<String, Object> options = new HashMap<>(values.given());
            QueueSpec queue = QueueFields.byAdaptive(map, spec, values);
            if (queue != null) {
                options.put(LimitPlan.QUEUE.name(), queue);
            }
            return new LimitPlan(
                    scope.limiter(), counted, scope.dimensions(), options, stored, origin, FlatSlot.texts(map));
        });
    }
}
