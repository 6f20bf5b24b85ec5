package dev.weir.config.document;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.controller.Crest;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Place;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reader of the section {@code adaptive} of a limit. */
final class AdaptiveReader {
    private static final Field<Long> MIN =
            Field.count("min").describedAs("The lowest limit.").orElse(1L);
    private static final Field<Long> MAX =
            Field.count("max").describedAs("The highest limit, at least min.").orElse(10_000L);
    private static final Field<Double> STEP = Field.number("step")
            .describedAs("The largest factor by which one update may change it, more than 1.")
            .orElse(4.0);
    private static final Field<Controller> CONTROLLER =
            Field.named("controller", Controller.class).describedAs("What finds the limit. Default: crest.");
    private static final Field<List<Signal>> SIGNALS = Field.list("signals", new ValueType.Named<>(Signal.class))
            .describedAs("The signals that the controller reads.");

    static final Section SECTION = new Section(
            "adaptive",
            "What adapts the limit while it runs; true = crest within the default bounds.",
            List.of(MIN, MAX, STEP, CONTROLLER, SIGNALS),
            List.of(),
            Field.flag("adaptive").describedAs("Whether the limit is adapted."));

    private AdaptiveReader() {}

    /** Reads the value of {@code adaptive} of a limit that has a queue or not. Null also if it is false. */
    static LimitPlan.@Nullable Adaptive read(Node node, boolean hasQueue, Scope scope) {
        if (node.is("false")) {
            return null;
        }
        if (!node.is("true") && !(node instanceof MapNode)) {
            scope.wrong(node, "must be true, or a map with min and max");
            return null;
        }
        MapNode map = node instanceof MapNode given ? given : MapNode.of(node.at(), Map.of());
        ReadValues values = ValueReader.section(SECTION, map, scope);
        Bounds bounds = values == null ? null : bounds(values, scope);
        if (bounds == null) {
            return null;
        }
        List<Supplier<? extends Signal>> signals = signals(map.get(SIGNALS.name()), scope.at(SIGNALS.name()));
        Node controller = map.get(CONTROLLER.name());
        if (controller == null) {
            return new LimitPlan.Adaptive(bounds, Crest::new, signals);
        }
        Scope at = scope.at(CONTROLLER.name());
        Supplier<Controller> made = again(CONTROLLER.type(), controller, at);
        return hasSignals(made, signals, hasQueue, controller, at)
                ? new LimitPlan.Adaptive(bounds, made, signals)
                : null;
    }

    private static boolean hasSignals(
            Supplier<Controller> controller,
            List<Supplier<? extends Signal>> signals,
            boolean hasQueue,
            Node node,
            Scope scope) {
        Set<String> missing = scope.guarded(node, () -> {
            Set<String> names = new TreeSet<>(controller.get().signals());
            signals.forEach(signal -> names.remove(signal.get().name()));
            if (hasQueue) {
                names.remove(LimitPlan.Adaptive.QUEUE_DELAY);
            }
            return names;
        });
        if (missing != null && !missing.isEmpty()) {
            scope.problem(
                    node.at(),
                    "must have its signal in the list 'signals'; " + LimitPlan.Adaptive.QUEUE_DELAY + " needs a queue",
                    String.join(", ", missing));
        }
        return missing != null && missing.isEmpty();
    }

    private static @Nullable Bounds bounds(ReadValues values, Scope scope) {
        long least = values.get(MIN);
        long most = values.get(MAX);
        if (most < least) {
            Node max = values.map().get(MAX.name());
            Place at = max == null ? values.map().at() : max.at();
            scope.at(MAX.name()).problem(at, "must be >= min, which is " + least, Long.toString(most));
            return null;
        }
        return scope.guarded(values.map(), () -> new Bounds(least, most, values.get(STEP)));
    }

    private static List<Supplier<? extends Signal>> signals(@Nullable Node node, Scope scope) {
        ValueType<Signal> signal = new ValueType.Named<>(Signal.class);
        List<Supplier<? extends Signal>> signals = new ArrayList<>();
        if (node instanceof ListNode list) {
            list.items().forEach(item -> signals.add(again(signal, item, scope.at(signals.size()))));
        } else if (node != null) {
            signals.add(again(signal, node, scope));
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
}
