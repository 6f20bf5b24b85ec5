package dev.weir.config.document;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.controller.Crest;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reader of the section {@code adaptive} of a limit. */
final class AdaptiveReader {
    static final Field<Long> MIN =
            Field.count("min").describedAs("The lowest limit.").orElse(1L);
    static final Field<Long> MAX =
            Field.count("max").describedAs("The highest limit, at least min.").orElse(10_000L);
    static final Field<Double> STEP = Field.number("step")
            .describedAs("The largest factor by which one update may change it, more than 1.")
            .orElse(4.0);
    static final Field<Controller> CONTROLLER =
            Field.named("controller", Controller.class).describedAs("What finds the limit. Default: crest.");
    static final ValueType<Signal> SIGNAL = new ValueType.Named<>(Signal.class);
    static final String SIGNALS = "signals";

    static final List<Field<?>> FIELDS = List.of(MIN, MAX, STEP, CONTROLLER);

    private AdaptiveReader() {}

    /** Whether the value says that nothing adapts the limit. */
    static boolean isOff(Node node) {
        return node instanceof TextNode text && text.text().equals("false");
    }

    /** Reads the value of {@code adaptive} of a limit that has a queue or not. */
    static LimitPlan.@Nullable Adaptive read(Node node, boolean hasQueue, Scope scope) {
        boolean isOn = node instanceof TextNode text && text.text().equals("true");
        if (!isOn && !(node instanceof MapNode)) {
            scope.wrong(node, "must be true, or a map with min and max");
            return null;
        }
        MapNode map = node instanceof MapNode given ? given : MapNode.of(node.at(), Map.of());
        ReadValues values = ValueReader.fields(map, FIELDS, Set.of(SIGNALS), scope);
        List<Supplier<? extends Signal>> signals = signals(map.entries().get(SIGNALS), scope.at(SIGNALS));
        if (values == null || signals == null) {
            return null;
        }
        Bounds bounds = bounds(values, map, scope);
        Entry controller = map.entries().get(CONTROLLER.name());
        if (bounds == null) {
            return null;
        }
        if (controller == null) {
            return new LimitPlan.Adaptive(bounds, Crest::new, signals);
        }
        Supplier<Controller> made = again(CONTROLLER.type(), controller.value(), scope.at(CONTROLLER.name()));
        boolean hasAll = hasSignals(made, signals, hasQueue, controller.value(), scope.at(CONTROLLER.name()));
        return hasAll ? new LimitPlan.Adaptive(bounds, made, signals) : null;
    }

    private static boolean hasSignals(
            Supplier<Controller> controller,
            List<Supplier<? extends Signal>> signals,
            boolean hasQueue,
            Node node,
            Scope scope) {
        Set<String> missing = Guarded.call(
                () -> {
                    Set<String> names = new TreeSet<>(controller.get().signals());
                    signals.forEach(signal -> names.remove(signal.get().name()));
                    if (hasQueue) {
                        names.remove(LimitPlan.Adaptive.QUEUE_DELAY);
                    }
                    return names;
                },
                node,
                scope);
        if (missing != null && !missing.isEmpty()) {
            scope.problem(
                    node.at(),
                    "must have its signal in the list 'signals'; " + LimitPlan.Adaptive.QUEUE_DELAY + " needs a queue",
                    String.join(", ", missing));
        }
        return missing != null && missing.isEmpty();
    }

    private static @Nullable Bounds bounds(ReadValues values, MapNode map, Scope scope) {
        long least = values.get(MIN);
        long most = values.get(MAX);
        if (most < least) {
            Node at = map.entries().containsKey(MAX.name())
                    ? map.entries().get(MAX.name()).value()
                    : map;
            scope.at(MAX.name()).problem(at.at(), "must be >= min, which is " + least, Long.toString(most));
            return null;
        }
        return Guarded.call(() -> new Bounds(least, most, values.get(STEP)), map, scope);
    }

    private static @Nullable List<Supplier<? extends Signal>> signals(@Nullable Entry entry, Scope scope) {
        if (entry == null) {
            return List.of();
        }
        long before = scope.count();
        boolean isList = entry.value() instanceof ListNode;
        List<Node> items = entry.value() instanceof ListNode list ? list.items() : List.of(entry.value());
        List<Supplier<? extends Signal>> signals = new java.util.ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            Scope at = isList ? scope.at(i) : scope;
            if (ValueReader.value(SIGNAL, items.get(i), at) != null) {
                signals.add(again(SIGNAL, items.get(i), at));
            }
        }
        return scope.count() == before ? List.copyOf(signals) : null;
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
