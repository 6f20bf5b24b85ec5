package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Tree;
import dev.weir.config.document.tree.TreeReader;
import dev.weir.config.document.tree.Unreadable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A reader of documents, with the names that the factories found by {@link java.util.ServiceLoader} give. Thread-safe. */
public final class DocumentReader {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");
    private static final double LAST = 100;

    private final Factories factories;

    DocumentReader(Factories factories) {
        this.factories = factories;
    }

    /**
     * A reader with all factories that the class loaders of this thread and of the library find. A factory that cannot be
     * loaded is ignored; a document that uses its name gets the reason in the problem.
     */
    public static DocumentReader system() {
        return new DocumentReader(Factories.loaded());
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
     * Reads a document. Does not block; takes time in proportion to its size, which may be 1 MiB at most. Both variants of a
     * limit with a {@code rollout} are checked, whichever this instance has.
     *
     * @param name the name of the document, for messages
     * @param place the place of this instance among all, from 0 to 100, by the name of a limiter: a {@code rollout} of 10
     *     percent is for those below 10. Called only for limits that are staged
     * @throws DocumentException if nothing of it can be used
     */
    public LimitsDocument read(String name, byte[] content, Format format, ToDoubleFunction<String> place)
            throws DocumentException {
        Objects.requireNonNull(place, "place");
        Problems problems = new Problems(name);
        Tree tree = tree(content, format, problems);
        Sections sections = Sections.of(tree.root(), problems);
        Scope document = new Scope(problems, factories, "", "document", KeyDimensions.NONE);
        LimitsDocument.Header header = HeaderReader.read(sections.document(), document);
        problems.check();

        Map<String, LimitPlan> limits = new LinkedHashMap<>();
        Set<String> faulty = new LinkedHashSet<>();
        Templates templates = new Templates(sections.templates());
        sections.limits().entries().forEach((limiter, entry) -> {
            Scope scope = new Scope(problems, factories, limiter, "", KeyDimensions.NONE);
            if (!NAME.matcher(limiter).matches()) {
                scope.problem(
                        entry.key(), "must have a name of 1 to 128 letters, digits, dots, hyphens or underscores", "");
                return;
            }
            LimitPlan plan = plan(entry.value(), templates, place, scope);
            if (plan == null) {
                faulty.add(limiter);
            } else {
                limits.put(limiter, plan);
            }
        });
        Map<String, String> values = ValuesSection.read(sections.values(), problems);
        return new LimitsDocument(header, limits, faulty, values, proof(content, tree), problems.all());
    }

    private static Tree tree(byte[] content, Format format, Problems problems) throws DocumentException {
        try {
            return tree(content, format);
        } catch (Unreadable e) {
            e.faults().forEach(fault -> problems.add(fault.at(), "", "", fault.rule(), fault.value()));
            throw new DocumentException(problems.all());
        }
    }

    private static Tree tree(byte[] content, Format format) throws Unreadable {
        return switch (format) {
            case YAML -> TreeReader.yaml(content);
            case JSON -> TreeReader.json(content);
            case PROPERTIES -> TreeReader.properties(content);
        };
    }

    private static @Nullable LimitPlan plan(
            Node node, Templates templates, ToDoubleFunction<String> place, Scope scope) {
        if (!(node instanceof MapNode map)) {
            scope.wrong(node, "must be a map");
            return null;
        }
        MapNode whole = templates.inherited(map, scope);
        Rollout rollout = whole == null ? null : Rollout.of(whole, scope);
        if (rollout == null) {
            return null;
        }
        MapNode mine = rollout.at(() -> place.applyAsDouble(scope.limiter()));
        MapNode theirs = mine == rollout.within() ? rollout.others() : rollout.within();
        LimitPlan plan = PlanReader.read(mine, scope);
        boolean isOtherValid = theirs == mine || PlanReader.read(theirs, scope) != null;
        return isOtherValid ? plan : null;
    }

    /** What proves that nothing is missing at the end of a document. {@code NONE} if it cannot be parsed and has no checksum. */
    public DocumentProof proof(byte[] content, Format format) {
        try {
            return proof(content, tree(content, format));
        } catch (Unreadable e) {
            return ChecksumLine.proof(content);
        }
    }

    private static DocumentProof proof(byte[] content, Tree tree) {
        DocumentProof checksum = ChecksumLine.proof(content);
        return checksum == DocumentProof.NONE && tree.isClosed() ? DocumentProof.CLOSED : checksum;
    }

    /** Whether the notation, or a checksum that fits, proves that nothing is missing at the end of a document. */
    public boolean isClosed(byte[] content, Format format) {
        DocumentProof proof = proof(content, format);
        return proof == DocumentProof.CLOSED || proof == DocumentProof.CHECKSUM;
    }
}
