package dev.weir.config.document.tree;

import dev.weir.config.document.tree.TreeReader.Tree;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** A parser of YAML, by its events: it does not recurse, and creates no object but the tree. */
final class YamlTree {
    private static final int MAX_ALIASES = 50;
    private static final String CORE = "tag:yaml.org,2002:";
    private static final Set<String> TAGS = Set.of(
            "!", CORE + "str", CORE + "int", CORE + "float", CORE + "bool", CORE + "null", CORE + "map", CORE + "seq");
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    private final TreeBuilder builder;
    private final Map<String, Node> anchors = new HashMap<>();
    private final Deque<Optional<Anchor>> open = new ArrayDeque<>();
    private int aliases;
    private int documents;
    private @Nullable Boolean isFlow;

    private YamlTree(TreeBuilder builder) {
        this.builder = builder;
    }

    static Tree read(String text, TreeBuilder builder) throws Unreadable {
        YamlTree tree = new YamlTree(builder);
        try {
            LoadSettings settings =
                    LoadSettings.builder().setCodePointLimit(Integer.MAX_VALUE).build();
            Iterator<Event> events = new ParserImpl(settings, new StreamReader(settings, text));
            while (events.hasNext()) {
                tree.accept(events.next());
            }
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            throw new Unreadable(mark.map(YamlTree::place).orElse(Place.NONE), "must be YAML: " + rule(e.getProblem()));
        } catch (ReaderException e) {
            throw new Unreadable(
                    Place.of(
                            text,
                            text.offsetByCodePoints(
                                    0, Math.min(e.getPosition(), text.codePointCount(0, text.length())))),
                    "must not have control characters");
        } catch (YamlEngineException e) {
            throw new Unreadable(Place.NONE, "must be YAML");
        }
        return new Tree(tree.builder.root(), text.endsWith("\n") || Boolean.TRUE.equals(tree.isFlow));
    }

    /* Whatever the parser quotes may be part of a password. */
    private static String rule(@Nullable String problem) {
        if (problem == null) {
            return "it cannot be parsed";
        }
        for (String quoting : new String[] {"tag handle", "a valid version", "expected URI"}) {
            int at = problem.indexOf(quoting);
            if (at >= 0) {
                return problem.substring(0, at + quoting.length());
            }
        }
        return problem;
    }

    private static Place place(Mark mark) {
        return new Place(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private static Place place(Event event) {
        return event.getStartMark().map(YamlTree::place).orElse(Place.NONE);
    }

    private void accept(Event event) throws Unreadable {
        if (event instanceof CollectionStartEvent start) {
            begin(start);
        } else if (event instanceof CollectionEndEvent) {
            Node node = builder.end();
            open.pop().ifPresent(anchor -> anchors.put(anchor.getValue(), node));
        } else if (event instanceof ScalarEvent scalar) {
            checkTag(scalar.getTag(), place(scalar));
            boolean isNull = scalar.isPlain() && scalar.getTag().isEmpty() && NULLS.contains(scalar.getValue());
            Node node = builder.text(
                    place(scalar),
                    scalar.getValue(),
                    isNull || scalar.getTag().filter((CORE + "null")::equals).isPresent());
            scalar.getAnchor().ifPresent(anchor -> anchors.put(anchor.getValue(), node));
        } else if (event instanceof AliasEvent alias) {
            again(alias);
        } else if (event instanceof DocumentStartEvent && ++documents > 1) {
            throw new Unreadable(place(event), "must be one document, not several");
        }
    }

    private void begin(CollectionStartEvent start) throws Unreadable {
        checkTag(start.getTag(), place(start));
        if (isFlow == null) {
            isFlow = start.isFlow();
        }
        start.getAnchor().ifPresent(anchor -> anchors.remove(anchor.getValue()));
        builder.begin(start instanceof MappingStartEvent, place(start));
        open.push(start.getAnchor());
    }

    private void again(AliasEvent alias) throws Unreadable {
        Place at = place(alias);
        if (++aliases > MAX_ALIASES) {
            throw new Unreadable(at, "must have at most " + MAX_ALIASES + " aliases");
        }
        Node node = anchors.get(alias.getAlias().getValue());
        if (node == null) {
            builder.missing(at, "must have aliases only of anchors that have ended before");
        } else {
            builder.again(node, at);
        }
    }

    private static void checkTag(Optional<String> tag, Place at) throws Unreadable {
        if (tag.isPresent() && !TAGS.contains(tag.get())) {
            throw new Unreadable(at, "must not have tags");
        }
    }
}
