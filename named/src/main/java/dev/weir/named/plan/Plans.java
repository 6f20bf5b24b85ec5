package dev.weir.named.plan;

import java.util.Map;
import java.util.Set;

/**
 * The plans that one document has for names.
 *
 * @param version of the document; empty = there is none
 * @param author who wrote it; empty = unknown
 * @param reason why; empty = unknown
 * @param limits by name, without those that have a problem
 * @param removed the names that are removed on purpose
 * @param faulty the names whose plans have a problem: they are in the document, and keep their last plans
 */
public record Plans(
        String version,
        String author,
        String reason,
        Map<String, LimitPlan> limits,
        Set<String> removed,
        Set<String> faulty) {
    /** Those of no document. */
    public static final Plans NONE = new Plans("", "", "", Map.of(), Set.of(), Set.of());
}
