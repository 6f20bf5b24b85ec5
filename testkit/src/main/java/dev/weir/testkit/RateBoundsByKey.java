package dev.weir.testkit;

import dev.weir.Request;
import dev.weir.testkit.Composition.By;
import dev.weir.testkit.RateBounds.InForce;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The bounds of the rates of each key, by what limits by key count by. Limits by the same names have one account for each
 * key through every change, whatever else they limit; limits by other names have others. By docs/how/changes.md, "a rate
 * by key and a rate for all take over nothing from each other".
 */
final class RateBoundsByKey {
    private final Map<By, Map<Object, RateBounds>> bounds = new HashMap<>();
    private Map<By, List<InForce>> inForce = Map.of();

    void change(Map<By, List<InForce>> next, long now) {
        inForce = next;
        bounds.forEach((by, keys) -> {
            List<InForce> rates = next.getOrDefault(by, List.of());
            keys.values().forEach(key -> key.change(rates, now));
        });
    }

    void pass(long nanos, long from) {
        bounds.values().forEach(keys -> keys.values().forEach(key -> key.pass(nanos, from)));
    }

    void granted(Request request, long cost, long now) {
        inForce.keySet().forEach(by -> {
            Object key = by.keyOf(request);
            if (key != null) {
                of(by, key, now).granted(request.permits(), cost);
            }
        });
    }

    /** How a bound of a key of this request was exceeded, or an empty text. */
    String excess(Request request, long now) {
        String excess = "";
        for (By by : inForce.keySet()) {
            Object key = by.keyOf(request);
            if (key != null && excess.isEmpty()) {
                excess = of(by, key, now).excess();
                excess = excess.isEmpty() ? "" : excess + " for " + key + " by " + by;
            }
        }
        return excess;
    }

    private RateBounds of(By by, Object key, long now) {
        return bounds.computeIfAbsent(by, first -> new HashMap<>()).computeIfAbsent(key, first -> {
            RateBounds made = new RateBounds();
            made.change(inForce.getOrDefault(by, List.of()), now);
            return made;
        });
    }
}
