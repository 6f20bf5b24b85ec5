package dev.weir.named.backend;

import dev.weir.named.plan.LimitPlan;
import java.util.Map;
import java.util.Set;

/**
 * The plans that one document has for names, without those that have a problem: these names are faulty, and keep their last plans.
 * What is empty of the version, the author and the reason is unknown.
 */
public record Plans(
        String version,
        String author,
        String reason,
        Map<String, LimitPlan> limits,
        Set<String> removed,
        Set<String> faulty) {
    public static final Plans NONE = new Plans("", "", "", Map.of(), Set.of(), Set.of());
}
