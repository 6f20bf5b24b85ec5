package dev.weir.testkit;

import dev.weir.testkit.RateBounds.InForce;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rates of each key. A table of limits by key that hold permits and one of limits that do not are different kinds,
 * and know nothing of each other's rates; the former is not kept when the latter is in force.
 */
final class RateBoundsByKey {
    private static final Object NO_KEY = new Object();

    private final Map<Object, RateBounds> rates = new HashMap<>();
    private final Map<Object, RateBounds> ratesBesideHeld = new HashMap<>();
    private List<InForce> inForce = List.of();
    private boolean holds;

    void change(List<InForce> next, boolean holdsNext, long now) {
        if (holdsNext && !holds) {
            ratesBesideHeld.clear();
        }
        rates.values().forEach(bounds -> bounds.change(holdsNext ? List.of() : next, now));
        ratesBesideHeld.values().forEach(bounds -> bounds.change(holdsNext ? next : List.of(), now));
        inForce = next;
        holds = holdsNext;
    }

    void pass(long nanos, long from) {
        Consumer<RateBounds> pass = bounds -> bounds.pass(nanos, from);
        rates.values().forEach(pass);
        ratesBesideHeld.values().forEach(pass);
    }

    RateBounds of(@Nullable Object key, long now) {
        return (holds ? ratesBesideHeld : rates).computeIfAbsent(key == null ? NO_KEY : key, first -> {
            RateBounds bounds = new RateBounds();
            bounds.change(inForce, now);
            return bounds;
        });
    }
}
