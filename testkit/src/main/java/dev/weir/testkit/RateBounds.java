package dev.weir.testkit;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition.Figures;
import java.util.ArrayList;
import java.util.List;

/** The rates of all requests, or of one key, through every change. */
final class RateBounds {
    /** A rate in force. */
    record InForce(StrategySpec spec, Figures figures) {}

    private List<RateBound> bounds = List.of();
    private boolean resting = true;

    /**
     * Other rates are in force. Where each has a predecessor, an equal one or one of its class, and none was dropped,
     * each goes its own bound. Else all that are new or changed follow each of the old ones, and if one was dropped
     * those that are equal do so too. Without a rate the last ones refill, and nothing is charged to them.
     */
    void change(List<InForce> next, long now) {
        resting = next.isEmpty();
        if (resting) {
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
        boolean dropped = !left.isEmpty();
        List<RateBound> following = new ArrayList<>();
        for (int i = 0; i < own.length; i++) {
            InForce rate = next.get(i);
            boolean goesOn = !dropped && (equal[i] || !added);
            following.add(
                    goesOn && own[i] != null
                            ? own[i].at(rate.spec, rate.figures, now)
                            : new RateBound(rate.spec, rate.figures, bounds, now));
        }
        bounds = following;
    }

    private static @org.jspecify.annotations.Nullable RateBound take(
            List<RateBound> from, InForce rate, boolean equal) {
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

    void granted(long permits) {
        if (!resting) {
            bounds.forEach(bound -> bound.granted(permits));
        }
    }

    /** How a bound was passed, or an empty text. */
    String excess() {
        for (RateBound bound : bounds) {
            String excess = resting ? "" : bound.excess();
            if (!excess.isEmpty()) {
                return excess;
            }
        }
        return "";
    }
}
