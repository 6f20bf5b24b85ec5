package dev.weir.spring.boot;

import dev.weir.config.document.DocumentTree;
import dev.weir.config.document.DocumentTree.Located;
import dev.weir.named.plan.Nearest;
import dev.weir.spring.boot.ConfigurationFailure.Fault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.CompositePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A reader of the properties under {@code weir} into the tree of a document. For one reading. */
final class EnvironmentReader {
    static final String ROOT = "weir";
    private static final String LIMITS = "limits";
    private static final String REMOVED = "removed";
    private static final String VALUES = "values";
    private static final List<String> SECTIONS = List.of("document", "templates", LIMITS, REMOVED, VALUES);
    private static final List<String> KNOWN =
            List.of("document", "templates", LIMITS, REMOVED, VALUES, "source", "web");

    private final ConfigurableEnvironment environment;
    private final YamlTexts texts;
    private final PropertySlot root = new PropertySlot();
    private final Set<Located> broken = new LinkedHashSet<>();
    /* Told if there is nothing else: two spellings of a name have many. */
    private final Set<Located> twice = new LinkedHashSet<>();
    private final Map<String, Located> values = new TreeMap<>();

    /** A property that some source has, without {@code weir}; the source with the lowest rank comes first. */
    private record Property(
            PropertySource<?> source, String key, List<PropertyStep> steps, boolean isVariable, int rank) {
        String place() {
            return Places.of(source, key);
        }

        String name() {
            StringBuilder name = new StringBuilder(ROOT);
            steps.forEach(step -> append(name, step));
            return name.toString();
        }
    }

    EnvironmentReader(ConfigurableEnvironment environment, YamlTexts texts) {
        this.environment = environment;
        this.texts = texts;
    }

    /** The tree, or all that is wrong. */
    DocumentTree tree() {
        List<Property> properties = properties();
        properties.stream().filter(each -> !each.isVariable).forEach(this::add);
        // Their names are those of the others.
        properties.stream().filter(Property::isVariable).forEach(this::add);
        texts.end();
        root.named.forEach((section, slot) -> section(section, slot));
        if (broken.isEmpty()) {
            broken.addAll(twice);
        }
        if (!broken.isEmpty()) {
            return DocumentTree.broken(List.copyOf(broken));
        }
        if (values.keySet().stream().noneMatch(key -> key.startsWith(LIMITS))) {
            values.put(LIMITS, new Located("{}", ""));
        }
        return DocumentTree.ofKeys(values);
    }

    /** The properties of a document, and unknown words, that are in the environment although another source has the document. */
    List<Fault> unused(String source) {
        List<Property> properties = properties();
        properties.forEach(each -> {
            if (SECTIONS.contains(each.steps.get(0).uniform())) {
                broken(
                        each.place(),
                        each.name() + " must not be given: the document is that of " + source
                                + "; move it there, or remove that source");
            } else {
                unknown(each);
            }
        });
        return broken.stream().map(Fault::of).toList();
    }

    private List<Property> properties() {
        List<Property> found = new ArrayList<>();
        List<EnumerablePropertySource<?>> sources = new ArrayList<>();
        environment.getPropertySources().forEach(source -> addSource(source, sources));
        for (int rank = 0; rank < sources.size(); rank++) {
            EnumerablePropertySource<?> source = sources.get(rank);
            for (String key : source.getPropertyNames()) {
                boolean isVariable = source instanceof SystemEnvironmentPropertySource && key.indexOf('.') < 0;
                List<PropertyStep> steps = steps(key, isVariable);
                if (steps.size() > 1) {
                    found.add(new Property(source, key, steps.subList(1, steps.size()), isVariable, rank));
                }
            }
        }
        return found;
    }

    private static void addSource(PropertySource<?> source, List<EnumerablePropertySource<?>> to) {
        if (source instanceof CompositePropertySource several) {
            several.getPropertySources().forEach(each -> addSource(each, to));
        } else if (source instanceof EnumerablePropertySource<?> listed) {
            to.add(listed);
        }
    }

    private static List<PropertyStep> steps(String key, boolean isVariable) {
        if (!key.regionMatches(true, 0, ROOT, 0, ROOT.length())) {
            return List.of();
        }
        List<PropertyStep> steps = isVariable ? PropertyStep.ofVariable(key) : PropertyStep.of(key);
        return !steps.isEmpty() && steps.get(0).text().equalsIgnoreCase(ROOT) ? steps : List.of();
    }

    private void add(Property property) {
        String section = property.steps.get(0).uniform();
        if (!SECTIONS.contains(section)) {
            unknown(property);
            return;
        }
        PropertySlot slot = root;
        for (int depth = 0; depth < property.steps.size(); depth++) {
            PropertyStep step = property.steps.get(depth);
            boolean isName = isName(section, depth);
            if (isName && !property.isVariable && isChanged(step, depth, property)) {
                return;
            }
            if (isName && property.isVariable && !slot.named.containsKey(step.uniform())) {
                unnamed(property, depth, slot);
                return;
            }
            PropertySlot below = slot.below(step, property.rank);
            if (below == null) {
                return;
            }
            slot = below;
            if (!property.isVariable) {
                slot.spellings.putIfAbsent(step.text(), property.place());
            }
        }
        set(slot, property, property.source.getProperty(property.key));
    }

    /** True where users choose the word. */
    private static boolean isName(String section, int depth) {
        return section.equals(VALUES)
                ? depth > 0
                : depth == 1 && !section.equals("document") && !section.equals(REMOVED);
    }

    private void unknown(Property property) {
        String word = property.steps.get(0).text();
        String nearest = Nearest.to(word, KNOWN);
        boolean isShared = property.source instanceof SystemEnvironmentPropertySource
                || property.source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        if (!KNOWN.contains(property.steps.get(0).uniform()) && !(isShared && nearest.isEmpty())) {
            String rule = nearest.isEmpty() ? "; known: " + String.join(", ", KNOWN) : nearest;
            broken(property.place(), ROOT + "." + word + " is not known" + rule);
        }
    }

    /* YAML reads the name no as false and 010 as 8, and Spring writes such names in brackets. */
    private boolean isChanged(PropertyStep step, int depth, Property property) {
        boolean isChanged = (depth == 1 && step.isIndex())
                || (step.isBracketed() && step.text().matches("true|false|null"));
        if (isChanged) {
            broken(
                    property.place(),
                    property.name() + " must have its name in quotes, as \"no\" or \"42\": without them YAML reads "
                            + "words such as no and on as false and true, and digits as a number");
        }
        return isChanged;
    }

    private void unnamed(Property property, int depth, PropertySlot slot) {
        List<PropertyStep> steps = property.steps;
        StringBuilder joined = new StringBuilder(steps.get(depth).text());
        for (int end = depth + 1; end < steps.size(); end++) {
            joined.append(steps.get(end).text());
            PropertySlot meant = slot.named.get(joined.toString());
            if (meant != null) {
                String right = variable(steps.subList(0, depth), joined, steps.subList(end + 1, steps.size()));
                broken(
                        property.place(),
                        property.key + " must not have _ in the name " + meant.spelling(joined.toString())
                                + "; did you mean " + right + "?");
                return;
            }
        }
        String word = steps.get(depth).text();
        Collection<String> known = slot.named.keySet();
        broken(
                property.place(),
                property.key + " must name what another source of properties has: it has no "
                        + word.toUpperCase(Locale.ROOT)
                        + Nearest.to(word, known).toUpperCase(Locale.ROOT).replace("; DID YOU MEAN", "; did you mean"));
    }

    private static String variable(List<PropertyStep> before, CharSequence joined, List<PropertyStep> after) {
        List<String> parts = new ArrayList<>(List.of(ROOT));
        before.forEach(step -> parts.add(step.text()));
        parts.add(joined.toString());
        after.forEach(step -> parts.add(step.text()));
        return String.join("_", parts).toUpperCase(Locale.ROOT);
    }

    private void set(PropertySlot slot, Property property, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            map.forEach(
                    (key, inside) -> setBelow(slot, new PropertyStep(String.valueOf(key), false), property, inside));
        } else if (value instanceof Collection<?> list) {
            int index = 0;
            for (Object item : list) {
                setBelow(slot, new PropertyStep(Integer.toString(index++), true), property, item);
            }
        } else if (value != null) {
            Object text = text(property, value);
            if (text != null && !slot.set(new Located(text, property.place()), property.rank)) {
                twice.add(new Located(property.name() + " must not be there twice", property.place()));
            }
        }
    }

    private void setBelow(PropertySlot slot, PropertyStep step, Property property, @Nullable Object value) {
        PropertySlot below = slot.below(step, property.rank);
        if (below != null) {
            below.spellings.putIfAbsent(step.text(), property.place());
            set(below, property, value);
        }
    }

    /** The value as it is written; null after a problem. */
    private @Nullable Object text(Property property, Object value) {
        if (value instanceof CharSequence written) {
            try {
                return environment.resolveRequiredPlaceholders(written.toString());
            } catch (RuntimeException e) {
                broken(property.place(), property.name() + " must have placeholders that can be resolved");
                return null;
            }
        }
        boolean isRead = value instanceof Number || value instanceof Boolean;
        if (isRead && Places.origin(property.source, property.key) instanceof TextResourceOrigin origin) {
            String written = texts.of(origin, value);
            if (written == null) {
                broken(
                        property.place(),
                        property.name() + " must be in quotes: its file has changed since Spring read it as " + value
                                + ", which may have been written in another way");
            }
            return written;
        }
        return value;
    }

    private void section(String section, PropertySlot slot) {
        Located text = slot.text();
        if (text == null || !"".equals(text.value())) {
            emit(section, slot, section, 0);
        } else if (section.equals(REMOVED)) {
            values.put(section, new Located("[]", text.origin()));
        }
    }

    /* What is under a name, as the keys of a tree. */
    private void emit(String path, PropertySlot slot, String section, int depth) {
        if (isName(section, depth) && slot.spellings.size() > 1) {
            broken(
                    slot.place(),
                    slot.spellings.entrySet().stream()
                                    .map(each -> each.getKey() + " (" + each.getValue() + ")")
                                    .collect(Collectors.joining(
                                            " and ", ROOT + "." + section + " must not have both ", ""))
                            + ", which are one name for Spring");
            return;
        }
        Located text = slot.text();
        boolean isTwo = text != null || !slot.list().isEmpty();
        if (isTwo && !slot.named.isEmpty()) {
            broken(
                    slot.place(),
                    ROOT + "." + path + " must not be a map and something else, as at "
                            + slot.named.values().iterator().next().place());
        } else if (text != null) {
            emit(path, text, section);
        }
        slot.list().forEach((index, item) -> emit(path + "[" + index + "]", item, section, depth + 1));
        slot.named.forEach((uniform, below) ->
                emit(append(new StringBuilder(path), below.spelling(uniform)), below, section, depth + 1));
    }

    private void emit(String path, Located text, String section) {
        if ("".equals(text.value()) && !section.equals(VALUES)) {
            broken(text.origin(), ROOT + "." + path + " must have a value; Spring reads [] and {} as none");
        } else if (path.equals(REMOVED)) {
            String[] names = String.valueOf(text.value()).split(",", -1);
            for (int i = 0; i < names.length; i++) {
                values.put(path + "[" + i + "]", new Located(names[i].strip(), text.origin()));
            }
        } else {
            values.put(path, text);
        }
    }

    private static void append(StringBuilder path, PropertyStep step) {
        if (step.isIndex()) {
            path.append('[').append(step.text()).append(']');
        } else {
            String ignored = append(path, step.text());
        }
    }

    /** The path with a name, as trees of flat keys write it. */
    private static String append(StringBuilder path, String name) {
        boolean isPlain = name.indexOf('.') < 0 && name.indexOf('[') < 0 && name.indexOf(']') < 0;
        return path.append(isPlain ? "." + name : "[" + name.replace("]", "]]") + "]")
                .toString();
    }

    static String path(String section, String name) {
        return append(new StringBuilder(section), name);
    }

    private void broken(String place, String rule) {
        broken.add(new Located(rule, place));
    }
}
