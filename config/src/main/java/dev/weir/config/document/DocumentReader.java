package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.document.DocumentFields.Whole;
import dev.weir.config.document.tree.FlatSlot;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;
import dev.weir.config.document.tree.TreeReader;
import dev.weir.config.document.tree.TreeReader.Tree;
import dev.weir.config.document.tree.Unreadable;
import dev.weir.config.factory.Field;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.Stored;
import dev.weir.named.plan.Origin;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A reader of documents, with the names that the factories found by {@link java.util.ServiceLoader} give. It keeps the plans of
 * the last document, and returns the same plan for a limit that is equal in the next one. Thread-safe.
 */
public final class DocumentReader {
    private static final double LAST = 100;

    private static final TreeReader USUAL = new TreeReader(1 << 20, 100_000);

    final Factories factories;
    /* For trees only: it needs the fields of all factories. */
    private volatile @Nullable FieldNames names;
    final TreeReader trees;
    private volatile Map<String, Planned> last = Map.of();

    /** A plan, and what it was made of: the limit with all that it inherits, and the place of this instance if that has a rollout. */
    private record Planned(MapNode limit, double place, LimitPlan plan) {
        /** True if this limit has the same plan. Some plans have their places for problems that appear later. */
        boolean fits(MapNode other, double otherPlace) {
            boolean hasPlaces = plan.stored() != null || plan.find(LimitPlan.SHARE) != null;
            return place == otherPlace && (hasPlaces ? limit.equals(other) : Node.isSame(limit, other));
        }

        Planned from(Origin origin) {
            return plan.origin().equals(origin) ? this : new Planned(limit, place, plan.from(origin));
        }
    }

    /** A staged rollout of a limit: the instances whose place, from 0 to 100, is below the percent have the fields within. */
    private record Rollout(double percent, MapNode others, MapNode within) {
        static final double ALL = 100;

        /** That of a limit, which may have none; null after a problem. */
        static @Nullable Rollout of(MapNode limit, Scope scope) {
            Node node = limit.get(DocumentFields.ROLLOUT.name());
            MapNode rest = limit.without(DocumentFields.ROLLOUT.name());
            if (node == null) {
                return new Rollout(ALL, rest, rest);
            }
            Scope at = scope.at(DocumentFields.ROLLOUT.name());
            MapNode map = ValueReader.sectionMap(DocumentFields.ROLLOUT_MAP, node, at);
            ReadValues values = map == null
                    ? null
                    : ValueReader.fields(map, List.of(DocumentFields.PERCENT), Set.of(DocumentFields.TO.name()), at);
            if (map == null || values == null) {
                return null;
            }
            double percent = values.get(DocumentFields.PERCENT);
            Node to = map.get(DocumentFields.TO.name());
            if (to == null) {
                TextNode off = new TextNode(node.at(), "0", false);
                return new Rollout(
                        percent, Templates.merged(rest, MapNode.of(DocumentFields.ENFORCE.name(), off)), rest);
            }
            if (to instanceof MapNode fields) {
                return new Rollout(percent, rest, Templates.merged(rest, fields));
            }
            at.at(DocumentFields.TO.name()).wrong(to, "must be a map of fields");
            return null;
        }

        /** The limit as the instance at this place has it; the place is asked for only if it matters. */
        MapNode at(DoubleSupplier place) {
            return percent >= ALL || (percent > 0 && place.getAsDouble() < percent) ? within : others;
        }
    }

    DocumentReader(Factories factories) {
        this(factories, USUAL);
    }

    private DocumentReader(Factories factories, TreeReader trees) {
        this.factories = factories;
        this.trees = trees;
    }

    /**
     * A reader with all factories that the class loaders of this thread and of the library find. A factory that cannot be
     * loaded is ignored; a document that uses its name gets the reason in the problem.
     */
    public static DocumentReader system() {
        return new DocumentReader(Factories.loaded());
    }

    /**
     * The same with other limits for the size of a document.
     *
     * @param maxBytes the most bytes, at least 1. Default: 1 MiB. Sources read 16 MiB at most
     * @param maxValues how many keys and values it may have, at least 1; what limits inherit from templates may be twice as much.
     *     Default: 100,000. A limit with three fields has 8
     * @throws IllegalArgumentException if one is less than 1
     */
    public DocumentReader within(int maxBytes, int maxValues) {
        if (maxBytes < 1 || maxValues < 1) {
            throw new IllegalArgumentException(
                    "maxBytes and maxValues must be >= 1, were " + maxBytes + " and " + maxValues);
        }
        return new DocumentReader(factories, new TreeReader(maxBytes, maxValues));
    }

    /**
     * Reads a document as an instance sees it that is the last to get what a {@code rollout} stages.
     *
     * @param name the name of the document, for messages
     * @throws DocumentException if nothing of it can be used
     */
    public LimitsDocument read(String name, byte[] content, Format format) throws DocumentException {
        return read(name, content, format, limiter -> LAST);
    }

    /**
     * Reads a document. Does not block; takes time in proportion to its size; what is equal in the one read before is not planned
     * again. Both variants of a limit with a {@code rollout} are checked, whichever this instance has.
     *
     * @param name the name of the document, for messages
     * @param place the place of this instance among all, from 0 to 100, by the name of a limiter: a {@code rollout} of 10
     *     percent is for those below 10. Called only for limits that are staged
     * @throws DocumentException if nothing of it can be used
     */
    public LimitsDocument read(String name, byte[] content, Format format, ToDoubleFunction<String> place)
            throws DocumentException {
        return read(name, () -> tree(content, format), place);
    }

    /**
     * Reads a tree in the same way. Problems name the origins of its values.
     *
     * @throws DocumentException if nothing of it can be used
     */
    public LimitsDocument read(String name, DocumentTree document, ToDoubleFunction<String> place)
            throws DocumentException {
        return read(name, () -> tree(document), place);
    }

    private interface Parsing {
        Tree parse() throws Unreadable;
    }

    private LimitsDocument read(String name, Parsing parsing, ToDoubleFunction<String> place) throws DocumentException {
        Objects.requireNonNull(place, "place");
        Problems problems = new Problems(name);
        Tree tree = tree(parsing, problems);
        Map<String, Planned> plans = last;
        Sections sections = Sections.of(tree.root(), problems);
        LimitsDocument.Header header = sections.header(Scope.of(problems, factories, DocumentFields.HEADER.name()));
        boolean isUsable = problems.count() == 0;

        Map<String, LimitPlan> limits = new LinkedHashMap<>();
        Map<String, Planned> planned = new HashMap<>();
        Set<String> faulty = new LinkedHashSet<>();
        Templates templates = new Templates(sections.templates(), 2 * Math.min(trees.maxValues(), 1 << 30));
        sections.limits().entries().forEach((limiter, entry) -> {
            Scope scope = new Scope(problems, factories, limiter, "", List.of(), DocumentFields.INSIDE);
            if (!Sections.isName(limiter, entry.key(), scope)) {
                return;
            }
            Planned plan = plan(name, entry, templates, plans.get(limiter), place, scope);
            if (plan == null) {
                faulty.add(limiter);
            } else {
                limits.put(limiter, plan.plan);
                planned.put(limiter, plan);
            }
        });
        last = planned;
        Set<String> removed = sections.removed(Scope.of(problems, factories, DocumentFields.REMOVED.name()));
        Map<String, String> values = sections.values(problems);
        if (!isUsable) {
            throw new DocumentException(problems.all());
        }
        return new LimitsDocument(header, limits, removed, faulty, values, tree.isEnded(), problems.all());
    }

    private static Tree tree(Parsing parsing, Problems problems) throws DocumentException {
        try {
            return parsing.parse();
        } catch (Unreadable e) {
            e.faults().forEach(problems::add);
            Node rest = e.root();
            if (rest == null) {
                throw new DocumentException(problems.all());
            }
            return new Tree(rest, false);
        }
    }

    private Tree tree(byte[] content, Format format) throws Unreadable {
        return switch (format) {
            case YAML -> trees.yaml(content);
            case JSON -> trees.json(content);
            case TREE -> new Tree(names().in(trees.json(content).root()), true);
        };
    }

    private Tree tree(DocumentTree document) throws Unreadable {
        Node root = document.root();
        if (root.size() > trees.maxValues()) {
            throw new Unreadable(root.at(), "must have at most " + trees.maxValues() + " values");
        }
        return new Tree(names().in(root), true);
    }

    FieldNames names() {
        FieldNames known = names;
        if (known == null) {
            known = new FieldNames(factories);
            names = known;
        }
        return known;
    }

    private static @Nullable Planned plan(
            String name,
            Entry entry,
            Templates templates,
            @Nullable Planned before,
            ToDoubleFunction<String> place,
            Scope scope) {
        if (!(entry.value() instanceof MapNode map)) {
            scope.wrong(entry.value(), "must be a map");
            return null;
        }
        Set<String> inherited = new LinkedHashSet<>();
        MapNode whole = templates.inherited(map, inherited, scope);
        if (whole == null) {
            return null;
        }
        boolean isWhole = whole.get(DocumentFields.ROLLOUT.name()) == null;
        if (isWhole && before != null && before.fits(whole, LAST)) {
            return before.from(origin(name, entry, inherited, Rollout.ALL, false));
        }
        Rollout rollout = Rollout.of(whole, scope);
        if (rollout == null) {
            return null;
        }
        double[] asked = {LAST};
        MapNode mine = rollout.at(() -> asked[0] = place.applyAsDouble(scope.limiter()));
        boolean isWithin = !isWhole && mine == rollout.within();
        Origin origin = origin(name, entry, inherited, isWhole ? Rollout.ALL : rollout.percent(), isWithin);
        if (before != null && before.fits(whole, asked[0])) {
            return before.from(origin);
        }
        MapNode theirs = mine == rollout.within() ? rollout.others() : rollout.within();
        LimitPlan plan = plan(mine, origin, scope);
        // Both variants must be right.
        boolean isOtherValid = theirs == mine || plan(theirs, origin, scope) != null;
        return plan == null || !isOtherValid ? null : new Planned(whole, asked[0], plan);
    }

    private static Origin origin(String name, Entry entry, Set<String> templates, double percent, boolean within) {
        Place at = entry.key().origin().isEmpty() ? entry.key() : entry.value().at();
        String source = at.origin().isEmpty() ? name : at.origin();
        return new Origin(source, at.line(), List.copyOf(templates), percent, within);
    }

    /** The plan of a limit that has inherited and taken over everything; null after a problem. */
    static @Nullable LimitPlan plan(MapNode map, Origin origin, Scope limit) {
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
