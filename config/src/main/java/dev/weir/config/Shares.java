package dev.weir.config;

import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.Problem;
import dev.weir.distributed.ClusterRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The registries of instances that shares of quotas need, as code gives them. Immutable.
 *
 * @param registries of instances, by name
 * @param executor where they are called; null = threads of each share
 */
record Shares(
        Map<String, ClusterRegistry> registries, @Nullable Executor executor) {
    static final Shares NONE = new Shares(Map.of(), null);

    Shares {
        registries = Map.copyOf(registries);
    }

    /**
     * The registry of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    ClusterRegistry registry(String name) {
        ClusterRegistry found = registries.get(name);
        if (found == null) {
            throw new IllegalArgumentException("share.of " + rule() + ", was " + name);
        }
        return found;
    }

    private String rule() {
        return "must be one of " + new TreeSet<>(registries.keySet()) + ", which code gives";
    }

    /** What is wrong with the share of a plan; empty = nothing. */
    List<Problem> problems(String source, LimitPlan plan) {
        LimitPlan.Share share = plan.share();
        return share == null || registries.containsKey(share.of())
                ? List.of()
                : List.of(
                        new Problem(source, share.line(), share.column(), plan.name(), "share.of", rule(), share.of()));
    }
}
