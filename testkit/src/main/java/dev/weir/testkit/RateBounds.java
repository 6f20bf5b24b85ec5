package dev.weir.testkit;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition.Figures;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of the rates of all requests, or of one key, over every change. By docs/how/changes.md, "no sequence of changes
 * grants more than the largest burst that was in force plus what refilled at the rates in force".
 */
final class RateBounds {
    /** A rate in force. */
    record InForce(StrategySpec spec, Figures figures, boolean isByCost) {}

    private List<RateBound> bounds = List.of();
    private boolean isWithoutRate = true;

    /**
     * Other rates are in force. "If every rate is adjusted in place, each keeps its own count": so if each has a
     * predecessor, which is an equal rate or one of its class, and no rate was removed. Otherwise "a rate that continues
     * keeps its own count. A new rate starts with the largest debt of all. If a rate is removed, those that stay take over
     * its debt as well". A rate by cost takes over from rates by cost, a rate of permits from those of permits, if there are any. Without a rate, "the last rate refills in the background. Permits granted meanwhile are not
     * charged to that rate".
     */
    void change(List<InForce> next, long now) {
        isWithoutRate = next.isEmpty();
        if (isWithoutRate) {
            return;
        }
        List<RateBound> left = new ArrayList<>(bounds);
        RateBound[] own = new RateBound[next.size()];
        boolean[] equal = new boolean[next.size()];
        for (int i = 0; i < own.length; i++) {
            own[i] = take(left, next.get(i), true);
            equal[i] = own[i] != null;
        }
        boolean added = false;
        for (int i = 0; i < own.length; i++) {
            own[i] = equal[i] ? own[i] : take(left, next.get(i), false);
            added |= own[i] == null;
        }
        boolean removed = !left.isEmpty();
        List<RateBound> following = new ArrayList<>();
        for (int i = 0; i < own.length; i++) {
            InForce rate = next.get(i);
            boolean continuesOne = !removed && (equal[i] || !added);
            following.add(
                    continuesOne && own[i] != null
                            ? own[i].at(rate.spec, rate.figures, now)
                            : new RateBound(rate.spec, rate.figures, rate.isByCost, alike(rate.isByCost), now));
        }
        bounds = following;
    }

    private List<RateBound> alike(boolean isByCost) {
        List<RateBound> alike =
                bounds.stream().filter(bound -> bound.isByCost == isByCost).toList();
        return alike.isEmpty() ? bounds : alike;
    }

    private static @Nullable RateBound take(List<RateBound> from, InForce rate, boolean equal) {
        for (RateBound bound : from) {
            if (equal ? bound.spec.equals(rate.spec) : bound.spec.getClass() == rate.spec.getClass()) {
                from.remove(bound);
                return bound;
            }
        }
        return null;
    }

    void pass(long nanos, long from) {
        bounds.forEach(bound -> bound.pass(nanos, from));
    }

    void granted(long permits, long cost) {
        if (!isWithoutRate) {
            bounds.forEach(bound -> bound.granted(bound.isByCost ? cost : permits));
        }
    }

    /** How a bound was exceeded, or an empty text. */
    String excess() {
        for (RateBound bound : bounds) {
            String excess = isWithoutRate ? "" : bound.excess();
            if (!excess.isEmpty()) {
                return excess;
            }
        }
        return "";
    }
}
