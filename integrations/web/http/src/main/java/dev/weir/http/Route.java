package dev.weir.http;

import dev.weir.internal.Require;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The limits that a request to a path must pass, all or nothing.
 *
 * @param path such as {@code /orders/**} or <code>POST /orders/{id}</code>: a method, if only requests with it are meant
 *     ({@code GET} is {@code HEAD} too), and a
 *     pattern in which {@code *} is one segment, <code>{name}</code> is one with a name, by which a limit may count, and
 *     {@code **} at the end is all the rest. Empty segments do not count
 * @param costs the names of the limits, with the permits that a request costs of each
 */
public record Route(String path, Map<String, Long> costs) {
    /**
     * Copies the costs.
     *
     * @throws IllegalArgumentException if the path is none, if there is no limit, or if a cost is less than 1
     */
    public Route {
        Map<String, Long> copy = new LinkedHashMap<>(costs);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("limits of the route " + path + " must be >= 1, were 0");
        }
        copy.forEach((limit, cost) -> {
            Require.that(cost >= 1, "cost of " + limit + " on the route " + path + " must be >= 1", cost);
        });
        costs = Collections.unmodifiableMap(copy);
        RequestPattern ignored = RequestPattern.of(path);
    }

    /** Requests to this path need one permit of each of these limits. */
    public static Route of(String path, String... limits) {
        return new Route(
                path,
                Stream.of(limits).collect(Collectors.toMap(each -> each, each -> 1L, (a, b) -> a, LinkedHashMap::new)));
    }

    /**
     * The same where a request costs this many permits of one of its limits.
     *
     * @throws IllegalArgumentException if it has no such limit, or if {@code permits < 1}
     */
    public Route costing(String limit, long permits) {
        Require.that(costs.containsKey(limit), "limit must be one of " + limits(), limit);
        Map<String, Long> changed = new LinkedHashMap<>(costs);
        changed.put(limit, permits);
        return new Route(path, changed);
    }

    /** The names of its limits. */
    public List<String> limits() {
        return List.copyOf(costs.keySet());
    }

    RequestPattern pattern() {
        return RequestPattern.of(path);
    }
}
