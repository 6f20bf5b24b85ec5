package dev.weir.adaptive;

import dev.weir.internal.Require;

/**
 * The minimum, the maximum and the largest step of a limit. Where they conflict, the minimum and the maximum hold: a limit that
 * is outside them is moved inside at once, by any step.
 *
 * @param min the minimum, at least 1
 * @param max the maximum, at least the minimum
 * @param step the largest factor by which one update may change the limit, more than 1; a change by 1 is always allowed
 */
public record Bounds(long min, long max, double step) {
    private static final double USUAL_STEP = 4;

    /**
     * @throws IllegalArgumentException if one is out of its range
     */
    public Bounds {
        Require.that(min >= 1, "min must be >= 1", min);
        Require.that(max >= min, "max must be >= " + min, max);
        Require.that(step > 1, "step must be > 1", step);
    }

    /**
     * From {@code min} to {@code max}, by a factor of at most 4 at a time.
     *
     * @throws IllegalArgumentException if min is less than 1 or max less than min
     */
    public static Bounds of(long min, long max) {
        return new Bounds(min, max, USUAL_STEP);
    }

    /**
     * The limit nearest to {@code asked} within one step of the present limit; then the nearest to that within the bounds,
     * which may be further than a step if the present limit is outside them.
     */
    public long clamp(long asked, long present) {
        double up = Math.max(present * step, present + 1.0);
        double down = Math.min(Math.ceil(present / step), present - 1.0);
        long reachable = Math.max((long) down, (long) Math.min((double) asked, up));
        return Math.max(min, Math.min(reachable, max));
    }

    /** The limit nearest to {@code asked} within the bounds, without regard to the step. */
    long clamp(long asked) {
        return Math.max(min, Math.min(asked, max));
    }
}
