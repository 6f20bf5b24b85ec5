package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.document.tree.FlatSlot;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;
import dev.weir.config.document.tree.Unreadable;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Origin;
import dev.weir.named.plan.PlanPatch;
import dev.weir.named.plan.Problem;
import dev.weir.spi.StrategySpec;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A change of some fields of a limit: each replaces the one that is there, maps field by field; {@code null} drops it. Immutable.
 *
 * <p>Another algorithm takes the place of the fields of the one before, but for those that it has too, and of {@code warm-up},
 * {@code adaptive} and {@code share}, which are about the number of the one before. Key, queue, executor and the rest stay.
 */
public final class Patch implements PlanPatch {
    private static final String[] OF_THE_NUMBER = {"warm-up", "adaptive", "share"};
    private static final String[] OF_THE_STORE = {"scope", "mode", "when-away"};
    private static final Set<String> UNCOUNTED = Set.of("closed", "open", "budget", "throttle");

    private final DocumentReader reader;
    private final String source;
    private final MapNode fields;

    private Patch(DocumentReader reader, String source, MapNode fields) {
        this.reader = reader;
        this.source = source;
        this.fields = fields;
    }

    /**
     * The patch that this text is, in YAML or JSON.
     *
     * @param source its name, for messages
     * @throws IllegalArgumentException if it is not a map with a field
     */
    public static Patch of(DocumentReader reader, String source, String text) {
        Problems problems = new Problems(source);
        try {
            Node root = reader.trees.yaml(text.getBytes(StandardCharsets.UTF_8)).root();
            if (root instanceof MapNode map && !map.entries().isEmpty()) {
                return new Patch(reader, source, map);
            }
            problems.add(root.at(), "", "", "must be a map of fields", "");
        } catch (Unreadable e) {
            e.faults().forEach(problems::add);
        }
        throw wrong(problems.all());
    }

    private static IllegalArgumentException wrong(List<Problem> problems) {
        return new IllegalArgumentException("entry must be fields of a limit: " + problems);
    }

    @Override
    public Map<String, String> settings() {
        return FlatSlot.texts(fields);
    }

    @Override
    public LimitPlan over(String name, @Nullable LimitPlan base) {
        Problems problems = new Problems(source);
        Scope scope = new Scope(problems, reader.factories, name, "", List.of(), DocumentFields.INSIDE);
        scope.refuse(fields, "must not be given in a patch", List.of(Templates.TEMPLATE, DocumentFields.ROLLOUT));
        MapNode kept = kept(map(base));
        Map<String, ValueType<?>> known = types(DocumentFields.LIMITER, StrategySpec.class);
        MapNode patched = withoutNulls(Templates.merged(kept, fields), kept, known, scope);
        LimitPlan plan = DocumentReader.plan(patched, base == null ? Origin.CODE : base.origin(), scope);
        if (plan == null || problems.count() > 0) {
            // The fields are from two texts: lines would be misleading.
            throw wrong(problems.all().stream()
                    .map(each -> new Problem(source, 0, 0, each.limiter(), each.field(), each.rule(), each.value()))
                    .toList());
        }
        return plan;
    }

    private static MapNode map(@Nullable LimitPlan base) {
        SortedMap<String, TextNode> texts = new TreeMap<>();
        if (base != null) {
            base.settings().forEach((path, text) -> texts.put(path, new TextNode(Place.NONE, text, false)));
        }
        try {
            return (MapNode) FlatSlot.tree(texts);
        } catch (Unreadable e) {
            throw new IllegalStateException("settings must be those of a document", e);
        }
    }

    private MapNode kept(MapNode base) {
        if (!isOtherAlgorithm(base)) {
            return base;
        }
        String next = LimitReader.algorithm(fields);
        Set<String> known = new LinkedHashSet<>(DocumentFields.BESIDE);
        known.addAll(next == null ? Set.of() : fieldsOf(next));
        MapNode rest = base.without(base.entries().keySet().stream()
                .filter(field -> !known.contains(field))
                .toArray(String[]::new));
        MapNode ofAny = rest.without(OF_THE_NUMBER);
        return next != null && UNCOUNTED.contains(next) ? ofAny.without(OF_THE_STORE) : ofAny;
    }

    private boolean isOtherAlgorithm(MapNode base) {
        return isGiven(LimitReader.ALGORITHM)
                ? !String.valueOf(LimitReader.algorithm(fields)).equals(LimitReader.algorithm(base))
                : Stream.concat(Stream.of(LimitReader.ALL_OF.name()), LimitReader.DEFAULTS.keySet().stream())
                        .anyMatch(field -> isGiven(field) && base.get(field) == null);
    }

    private boolean isGiven(String field) {
        Node node = fields.get(field);
        return node != null && !isNull(node);
    }

    private static boolean isNull(Node node) {
        return node instanceof TextNode text && text.isNull();
    }

    private Set<String> fieldsOf(String algorithm) {
        Set<String> names = new LinkedHashSet<>();
        reader.factories
                .find(StrategySpec.class, algorithm)
                .ifPresent(factory -> names.addAll(DocumentFields.names(Factories.fields(factory))));
        return names;
    }

    /* The fields that a map of this type may have; null = its keys are the user's, or it must be no map. */
    private @Nullable Map<String, ValueType<?>> fieldsOf(@Nullable ValueType<?> type) {
        if (type instanceof ValueType.ListOf<?> list) {
            return fieldsOf(list.element());
        }
        if (type instanceof ValueType.Section<?> section) {
            return types(section.fields());
        }
        if (type instanceof ValueType.Named<?> named) {
            return types(List.of(Field.text(ValueReader.NAME)), named.created());
        }
        return type instanceof ValueType.Limit ? types(LimitReader.FIELDS, StrategySpec.class) : null;
    }

    private static Map<String, ValueType<?>> types(List<? extends Field<?>> fields) {
        Map<String, ValueType<?>> types = new HashMap<>();
        fields.forEach(field -> types.put(field.name(), field.type()));
        return types;
    }

    private Map<String, ValueType<?>> types(List<? extends Field<?>> fields, Class<?> created) {
        Map<String, ValueType<?>> types = types(fields);
        if (created == StrategySpec.class) {
            types.put(LimitReader.ALGORITHM, Field.text(LimitReader.ALGORITHM).type());
        }
        reader.factories
                .all(created)
                .values()
                .forEach(factory -> types(Factories.fields(factory)).forEach(types::putIfAbsent));
        return types;
    }

    /* A field that is not there may be dropped, too, but only where it might be. */
    private MapNode withoutNulls(MapNode map, MapNode base, @Nullable Map<String, ValueType<?>> known, Scope scope) {
        Map<String, Entry> rest = new LinkedHashMap<>();
        map.entries().forEach((key, entry) -> {
            Node left = entry.value();
            boolean isLeft = !isNull(left);
            if (left instanceof MapNode inner) {
                MapNode before = base.get(key) instanceof MapNode there ? there : new MapNode(base.at(), Map.of());
                left = withoutNulls(inner, before, fieldsOf(known == null ? null : known.get(key)), scope.at(key));
                // To drop fields of what is not there does not make it.
                isLeft = left.size() == inner.size() || left.size() > 1 || base.get(key) != null;
            }
            if (isLeft) {
                rest.put(key, new Entry(entry.key(), left));
            } else if (base.get(key) == null && known != null && !known.containsKey(key)) {
                List<String> inside = scope.inside().getOrDefault(Suggestion.plain(key), List.of());
                scope.at(key).problem(entry.key(), Suggestion.field(key, known.keySet(), inside), "");
            }
        });
        return new MapNode(map.at(), rest);
    }
}
