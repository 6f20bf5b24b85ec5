package dev.weir.config.document;

import dev.weir.config.document.tree.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The collected errors of one document. Not thread-safe. */
final class Problems {
    private static final int MAX = 1000;

    private final String document;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private long count;

    Problems(String document) {
        this.document = Shown.rule(document);
    }

    void add(Place at, String limiter, String field, String rule, String value) {
        count++;
        if (problems.size() < MAX) {
            problems.add(new Problem(
                    at.origin().isEmpty() ? document : Shown.rule(at.origin()),
                    at.line(),
                    at.column(),
                    Shown.of(limiter),
                    Shown.rule(field),
                    Shown.rule(rule),
                    Shown.of(value)));
        }
    }

    /** How often something was added, also the same twice. */
    long count() {
        return count;
    }

    /** In the order of the document; at most 1000, then one that says so. */
    List<Problem> all() {
        List<Problem> all = new ArrayList<>(problems);
        all.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
        if (problems.size() == MAX) {
            all.add(new Problem(document, 0, 0, "", "", "has more problems than these " + MAX, ""));
        }
        return List.copyOf(all);
    }

    /** Fails if something was added. */
    void check() throws DocumentException {
        if (count > 0) {
            throw new DocumentException(all());
        }
    }
}
