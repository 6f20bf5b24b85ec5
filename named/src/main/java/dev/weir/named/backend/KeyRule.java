package dev.weir.named.backend;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.internal.RequestRule;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.LimitPlan.KeyMissing;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The key that requests of one name must have: the values of these names, or whatever key a request has if there are none.
 * Thread-safe.
 */
public final class KeyRule implements RequestRule {
    /** The key of requests that share one because they have none. */
    private static final String SHARED = "(none)";

    private static final int ONE_IN = 64;

    /**
     * The dimensions of a request and what names cost, in the place of its key: each limit that is asked makes its own key of them. A
     * value is asked for once, unless two threads need it at the same time. Thread-safe.
     */
    public static final class Values {
        private record Value(Dimensions named, Object others) {}

        private final Function<String, @Nullable String> given;
        private final Map<String, Long> costs;
        /* The first is a Dimensions, and the others are each a Value before it. Each has one name; empty = it has none. */
        private volatile @Nullable Object known;

        Values(Function<String, @Nullable String> given, Map<String, Long> costs) {
            this.given = Objects.requireNonNull(given, "dimensions");
            this.costs = Map.copyOf(costs);
        }

        /** The request as it is for this name: with the permits that the name costs, if it says so. */
        static Request of(String name, Request request) {
            Long cost = request.key() instanceof Values values ? values.costs.get(name) : null;
            return cost == null || cost == request.permits() ? request : request.withPermits(cost);
        }

        private @Nullable Dimensions known(String dimension) {
            Object each = known;
            while (each instanceof Value value) {
                if (value.named.has(dimension)) {
                    return value.named;
                }
                each = value.others;
            }
            return each instanceof Dimensions first && first.has(dimension) ? first : null;
        }

        private Dimensions named(String dimension) {
            Dimensions before = known(dimension);
            return before != null
                    ? before
                    : added(Dimensions.of(dimension, Objects.requireNonNullElse(given.apply(dimension), "")));
        }

        private synchronized Dimensions added(Dimensions named) {
            Object before = known;
            known = before == null ? named : new Value(named, before);
            return named;
        }
    }

    private final List<String> dimensions;
    /* What a request without a key gets. */
    private final KeyMissing missing;
    /*
     * Code keeps one request for each kind of call, and a key may be asked for again and again: then nothing is made. Written
     * without an order and by few of many requests, so that threads do not compete for it; each value is immutable and right.
     */
    private @Nullable Named last;

    /** A request with a key that has no name, and the same with the name. */
    private record Named(Request given, Request named) {}

    KeyRule(List<String> dimensions, KeyMissing missing) {
        this.dimensions = List.copyOf(dimensions);
        this.missing = missing;
    }

    List<String> dimensions() {
        return dimensions;
    }

    /** The rule of a plan; null if it counts all requests as one. */
    static @Nullable KeyRule of(LimitPlan plan) {
        return plan.isKeyed() ? new KeyRule(plan.dimensions(), plan.get(LimitPlan.KEY_MISSING)) : null;
    }

    void read(Values values) {
        for (int i = 0; i < dimensions.size(); i++) {
            Dimensions unused = values.named(dimensions.get(i));
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
                && !request.isRefundable()
                && !request.isSettled();
        return isPlain ? Request.ONE : request.withKey(null);
    }

    private static @Nullable Values values(Request request) {
        return request.source() instanceof Values values
                ? values
                : request.key() instanceof Values values ? values : null;
    }

    @Override
    public @Nullable Request counted(Request request) {
        Values values = values(request);
        if (values != null) {
            return counted(request, values);
        }
        Object key = request.source() instanceof Dimensions given ? given : request.key();
        if (key == null || (key instanceof String text && text.isEmpty())) {
            return made(request, name -> "");
        }
        if (dimensions.isEmpty()) {
            return request;
        }
        if (key instanceof Dimensions given) {
            return isExactly(given) ? request : made(request, given::value);
        }
        return dimensions.size() == 1 ? named(request, key) : null;
    }

    /* Null if the key has no text. */
    private @Nullable Request named(Request request, Object key) {
        Named known = last;
        if (known != null && known.given.equals(request)) {
            return known.named;
        }
        String text = text(key);
        if (text == null) {
            return null;
        }
        Request named = request.withKey(Dimensions.of(dimensions.get(0), text));
        if ((ThreadLocalRandom.current().nextInt() & ONE_IN - 1) == 0) {
            last = new Named(request, named);
        }
        return named;
    }

    private @Nullable Request counted(Request request, Values values) {
        if (dimensions.size() == 1) {
            String name = dimensions.get(0);
            Dimensions only = named(values, name);
            if (!only.value(name).isEmpty()) {
                return request.withKey(only);
            }
        }
        return made(request, name -> named(values, name).value(name));
    }

    /* Null if a value is missing and must not be. */
    private @Nullable Request made(Request request, Function<String, String> values) {
        if (dimensions.isEmpty()) {
            return missing == KeyMissing.SHARE ? request.withKey(SHARED) : null;
        }
        String[] strings = new String[2 * dimensions.size()];
        for (int i = 0; i < dimensions.size(); i++) {
            String value = values.apply(dimensions.get(i));
            if (value.isEmpty() && missing != KeyMissing.SHARE) {
                return null;
            }
            strings[2 * i] = dimensions.get(i);
            strings[2 * i + 1] = value.isEmpty() ? SHARED : value;
        }
        return request.withKey(Dimensions.of(strings));
    }

    private boolean isExactly(Dimensions given) {
        for (int i = 0; i < dimensions.size(); i++) {
            if (given.value(dimensions.get(i)).isEmpty()) {
                return false;
            }
        }
        return given.size() == dimensions.size();
    }

    /* The request may have been made before this name was needed, so the thread that asks may not be that of its caller. */
    private static Dimensions named(Values values, String dimension) {
        try {
            return values.named(dimension);
        } catch (RuntimeException | Error thrown) {
            // It would throw again.
            return values.added(Dimensions.of(dimension, ""));
        }
    }

    /* Null if the text of such a key may not tell it from another. */
    private static @Nullable String text(Object key) {
        boolean hasText = key instanceof String
                || key instanceof Number
                || key instanceof Boolean
                || key instanceof Character
                || key instanceof UUID
                || key instanceof Enum<?>;
        return hasText ? key.toString() : null;
    }

    /** The request as a queue holds it: with what its key is made of, for a rule that comes while it waits. */
    static Request waiting(Request request, Request counted) {
        if (counted.key() == request.key()) {
            return request;
        }
        Object source = request.key() instanceof Values values ? values : request.source();
        return source == null ? counted.withKey(counted.key()) : counted.withKey(counted.key(), source);
    }

    /** The request as a store counts it: by the values alone, in the order in which the document has their names. */
    Request stored(Request counted) {
        return dimensions.size() > 1 && counted.key() instanceof Dimensions named
                ? counted.withKey(
                        new KeyValues(dimensions.stream().map(named::value).toList()))
                : counted;
    }

    @Override
    public Decision withoutKey(String name) {
        return missing == KeyMissing.SKIP
                ? new SeveralPermits(null, null)
                : new Rejection(name, Reason.KEY_MISSING, 0, 0);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyRule rule && dimensions.equals(rule.dimensions) && missing == rule.missing;
    }

    @Override
    public int hashCode() {
        return Objects.hash(dimensions, missing);
    }
}
