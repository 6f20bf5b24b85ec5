package dev.weir.config.document;

import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Problem;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A document after it was read and checked.
 *
 * @param header what it says of itself
 * @param limits the plans by name, without those that have a problem, in the order of the document
 * @param removed the names of limits that are removed on purpose; none of them is in {@code limits} or {@code faulty}
 * @param faulty the names of the limits that have a problem: they are in the document, but their plans are not known
 * @param values the values of the application by key: {@code "mail.timeout"} -> {@code "2s"}
 * @param ended whether nothing can be missing at its end: it ends with a newline, or its notation shows its end
 * @param problems everything that is wrong with limits and values, in the order of the document
 */
public record LimitsDocument(
        Header header,
        Map<String, LimitPlan> limits,
        Set<String> removed,
        Set<String> faulty,
        Map<String, String> values,
        boolean ended,
        List<Problem> problems) {
    /** Copies the collections. */
    public LimitsDocument {
        limits = Collections.unmodifiableMap(new LinkedHashMap<>(limits));
        removed = Collections.unmodifiableSet(new LinkedHashSet<>(removed));
        faulty = Collections.unmodifiableSet(new LinkedHashSet<>(faulty));
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        problems = List.copyOf(problems);
    }

    /**
     * The section {@code document} of a document: its version, its author, its reason and its rollout.
     *
     * @param version a number that grows with each version; 0 = none
     * @param replaces the version in force that this one replaces, also if it is not the next one; 0 = none
     * @param author who wrote it; empty = unknown
     * @param reason why; empty = unknown
     * @param percent the share of the instances it is for, 0 to 100
     */
    public record Header(long version, long replaces, String author, String reason, double percent) {}
}
