package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.keyed.Dimensions;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.KeyMissing;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
     * The dimensions of a request and what names cost, in the place of its key: each limit that is asked makes its own key of them. A
     * value is asked for once, unless two threads need it at the same time. Thread-safe.
     */
    public static final class Values {
        /* Empty = it has none. */
        private record Value(
                String dimension, String text, @Nullable Value others) {}

        private final Function<String, @Nullable String> given;
        private final Map<String, Long> costs;
        private volatile @Nullable Value known;

        Values(Function<String, @Nullable String> given, Map<String, Long> costs) {
            this.given = Objects.requireNonNull(given, "dimensions");
            this.costs = Map.copyOf(costs);
        }

        /** The request as it is for this name: with the permits that the name costs, if it says so. */
        static Request of(String name, Request request) {
            Long cost = request.key() instanceof Values values ? values.costs.get(name) : null;
            return cost == null || cost == request.permits() ? request : request.withPermits(cost);
        }

        private String value(String dimension) {
            for (Value each = known; each != null; each = each.others) {
                if (each.dimension.equals(dimension)) {
                    return each.text;
                }
            }
            String text = Objects.requireNonNullElse(given.apply(dimension), "");
            add(dimension, text);
            return text;
        }

        private synchronized void add(String dimension, String text) {
            known = new Value(dimension, text, known);
        }

        /* It threw, and would again. */
        private void isMissing(String dimension) {
            add(dimension, "");
        }
    }

    /** The rule of a plan; null if it counts all requests as one. */
    static @Nullable KeyRule of(LimitPlan plan) {
        return plan.isKeyed() ? new KeyRule(plan.dimensions(), plan.get(LimitPlan.KEY_MISSING)) : null;
    }

    /** Asks for the values that the limit needs now. */
    void read(Values values) {
        for (int i = 0; i < dimensions.size(); i++) {
            String unused = values.value(dimensions.get(i));
        }
    }

    /** The request as a limit with this rule counts it, null = by no key; null if it lacks the key, or has one of another shape. */
    static @Nullable Request counted(Request request, @Nullable KeyRule rule) {
        if (rule != null) {
            return rule.counted(request);
        }
        if (values(request) == null) {
            return request;
        }
        boolean isPlain = request.permits() == 1
                && request.priority() == 0
                && request.deadlineNanos() == Request.NO_DEADLINE
                && !request.isRefundable();
        return isPlain ? Request.ONE : request.withKey(null);
    }

    private static @Nullable Values values(Request request) {
        return request.source() instanceof Values values
                ? values
                : request.key() instanceof Values values ? values : null;
    }

    private @Nullable Request counted(Request request) {
        Values values = values(request);
        if (values != null) {
            Object own = key(values);
            return own == null ? null : request.withKey(own);
        }
        Object key = request.key();
        if (key == null || (key instanceof String text && text.isEmpty())) {
            return missing == KeyMissing.SHARE ? request.withKey(shared()) : null;
        }
        boolean fits = dimensions.isEmpty()
                || (dimensions.size() == 1
                        ? !(key instanceof Dimensions)
                        : key instanceof Dimensions given && given.values().size() == dimensions.size());
        return fits ? request : null;
    }

    /** The answer to a request without the key that the limit of this name counts by. */
    static Decision withoutKey(String name, @Nullable KeyRule rule) {
        return rule != null && rule.missing == KeyMissing.SKIP
                ? new SeveralPermits(null, null)
                : new Rejection(name, Reason.KEY_MISSING, 0, 0);
    }

    /* A single value itself, several as Dimensions; null if one is missing and must not be. */
    private @Nullable Object key(Values values) {
        String none = missing == KeyMissing.SHARE ? SHARED : null;
        if (dimensions.size() < 2) {
            return dimensions.isEmpty() ? none : value(values, 0, none);
        }
        String[] found = new String[dimensions.size()];
        for (int i = 0; i < found.length; i++) {
            String value = value(values, i, none);
            if (value == null) {
                return null;
            }
            found[i] = value;
        }
        return Dimensions.of(found);
    }

    /* The request may have been made before this dimension was needed, so the thread that asks may not be that of its caller. */
    private @Nullable String value(Values values, int dimension, @Nullable String orElse) {
        try {
            String value = values.value(dimensions.get(dimension));
            return value.isEmpty() ? orElse : value;
        } catch (RuntimeException | Error thrown) {
            values.isMissing(dimensions.get(dimension));
            return orElse;
        }
    }

    private Object shared() {
        return dimensions.size() < 2 ? SHARED : new Dimensions(Collections.nCopies(dimensions.size(), SHARED));
    }
}
