package dev.weir.config.document;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.controller.Crest;
import dev.weir.config.document.DocumentFields.Whole;
import dev.weir.config.document.LimitPlan.Adaptive;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The section {@code adaptive} of a limit. */
final class AdaptiveFields {
    private static final Field<Long> MIN =
            Field.count("min").describedAs("The lowest limit.").orElse(1L);
    private static final Field<Long> MAX =
            Field.count("max").describedAs("The highest limit, at least min.").orElse(10_000L);
    private static final Field<Double> STEP = Field.number("step")
            .describedAs("The largest factor by which one update may change it, more than 1.")
            .orElse(4.0);
    private static final Field<Controller> CONTROLLER =
            Field.named("controller", Controller.class).describedAs("What finds the limit. Default: crest.");
    private static final ValueType<Signal> SIGNAL = new ValueType.Named<>(Signal.class);
    private static final Field<List<Signal>> SIGNALS =
            Field.list("signals", SIGNAL).describedAs("The signals that the controller reads.");

    static final Field<Adaptive> ADAPTIVE = ReadValues.section(
                    "adaptive",
                    "true, or a map with min and max",
                    Field.flag("adaptive").describedAs("Whether the limit is adapted."),
                    List.of(MIN, MAX, STEP, CONTROLLER, SIGNALS),
                    AdaptiveFields::read)
            .describedAs("What adapts the limit while it runs; true = crest within the default bounds.");

    private AdaptiveFields() {}

    private static @Nullable Adaptive read(ReadValues values) {
        long least = values.get(MIN);
        long most = values.get(MAX);
        if (most < least) {
            values.problem(MAX, "must be >= min, which is " + least, Long.toString(most));
            return null;
        }
        Bounds bounds = new Bounds(least, most, values.get(STEP));
        Node controller = values.map().get(CONTROLLER.name());
        return new Adaptive(
                bounds,
                controller == null ? Crest::new : again(CONTROLLER.type(), controller, at(CONTROLLER, values)),
                signals(values.map().get(SIGNALS.name()), at(SIGNALS, values)));
    }

    private static Scope at(Field<?> field, ReadValues values) {
        return values.scope().at(field.name());
    }

    private static List<Supplier<? extends Signal>> signals(@Nullable Node node, Scope scope) {
        List<Supplier<? extends Signal>> signals = new ArrayList<>();
        if (node instanceof ListNode list) {
            list.items().forEach(item -> signals.add(again(SIGNAL, item, scope.at(signals.size()))));
        } else if (node != null) {
            signals.add(again(SIGNAL, node, scope));
        }
        return List.copyOf(signals);
    }

    /* Each call creates all of it: a controller may be made of others, which must not serve two limits. */
    private static <T> Supplier<T> again(ValueType<T> type, Node node, Scope scope) {
        return () -> {
            Scope apart = scope.apart();
            T created = ValueReader.value(type, node, apart);
            if (created == null) {
                throw new IllegalStateException(String.valueOf(apart.problems().all()));
            }
            return created;
        };
    }

    /** Checks that the controller has its signals; a queue has one of its own. */
    static void check(Field<?> field, Whole limit) {
        Adaptive adaptive = limit.values().find(ADAPTIVE).orElse(null);
        Node controller = limit.map().get(field.name()) instanceof MapNode map ? map.get(CONTROLLER.name()) : null;
        if (adaptive == null || controller == null) {
            return;
        }
        Scope scope = limit.scope().at(field.name()).at(CONTROLLER.name());
        Set<String> missing = scope.guarded(controller, () -> missing(adaptive, limit));
        if (missing != null && !missing.isEmpty()) {
            scope.problem(
                    controller.at(),
                    "must have its signal in the list 'signals'; " + Adaptive.QUEUE_DELAY + " needs a queue",
                    String.join(", ", missing));
        }
    }

    private static Set<String> missing(Adaptive adaptive, Whole limit) {
        Set<String> names = new TreeSet<>(adaptive.controller().get().signals());
        adaptive.signals().forEach(signal -> names.remove(signal.get().name()));
        if (limit.map().get(DocumentFields.QUEUE.name()) != null) {
            names.remove(Adaptive.QUEUE_DELAY);
        }
        return names;
    }
}
