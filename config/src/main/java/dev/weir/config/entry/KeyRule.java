package dev.weir.config.entry;

import dev.weir.Request;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitPlan.KeyMissing;
import dev.weir.keyed.Dimensions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The key that requests of one name must have.
 *
 * @param dimensions its parts; empty = the key is whatever the request has
 * @param missing what a request without a key gets
 */
public record KeyRule(List<String> dimensions, KeyMissing missing) {
    /** The key of requests that share one because they have none. */
    private static final String SHARED = "(none)";

    /**
     * The key of a request of several names.
     *
     * @param values of the dimensions of all of them
     * @param costs the permits that some of the names cost, by name; the others cost those of the request
     */
    public record Several(Map<String, String> values, Map<String, Long> costs) {
        /** The request as it is for one of the names. */
        static Request of(String name, Request request) {
            Long cost = request.key() instanceof Several several ? several.costs.get(name) : null;
            return cost == null ? request : request.withPermits(cost);
        }
    }

    /** The rule of a plan; null if it counts all requests as one. */
    static @Nullable KeyRule of(LimitPlan plan) {
        return plan.isKeyed() ? new KeyRule(plan.dimensions(), plan.keyMissing()) : null;
    }

    /** The key of these values: a single one itself, several as {@link Dimensions}; null if one is missing and must not be. */
    @Nullable
    public Object key(Function<String, @Nullable String> values) {
        List<String> found = dimensions.stream()
                .map(values)
                .map(value -> value != null && !value.isEmpty() ? value : missing == KeyMissing.SHARE ? SHARED : "")
                .toList();
        if (found.isEmpty() || found.contains("")) {
            return null;
        }
        return found.size() == 1 ? found.get(0) : new Dimensions(found);
    }

    /** The request as the limit counts it; null if it lacks the key, or has one of another shape. */
    @Nullable
    Request counted(Request request) {
        Object key = request.key();
        if (key instanceof Several several) {
            Object own = key(several.values::get);
            return own == null ? null : request.withKey(own);
        }
        if (key == null || (key instanceof String text && text.isEmpty())) {
            return missing == KeyMissing.SHARE ? request.withKey(shared()) : null;
        }
        boolean fits = dimensions.isEmpty()
                || (dimensions.size() == 1
                        ? !(key instanceof Dimensions)
                        : key instanceof Dimensions given && given.values().size() == dimensions.size());
        return fits ? request : null;
    }

    private Object shared() {
        return dimensions.size() < 2 ? SHARED : new Dimensions(Collections.nCopies(dimensions.size(), SHARED));
    }
}
