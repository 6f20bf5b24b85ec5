package dev.weir.adaptive;

import dev.weir.internal.Require;
import java.time.LocalTime;
import java.util.Objects;

/**
 * Bounds for a time of each day, by local time: on a day that skips this time they do not come into force, on a day that
 * repeats it they do so twice.
 *
 * @param from the first time of day
 * @param to the time of day at which they end; before {@code from} means after midnight
 * @param bounds the bounds in between
 */
public record DailyBounds(LocalTime from, LocalTime to, Bounds bounds) {
    /**
     * @throws IllegalArgumentException if {@code from} equals {@code to}
     */
    public DailyBounds {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(bounds, "bounds");
        Require.that(!from.equals(to), "to must differ from " + from, to);
    }

    boolean contain(LocalTime time) {
        boolean begun = !time.isBefore(from);
        boolean unended = time.isBefore(to);
        return from.isBefore(to) ? begun && unended : begun || unended;
    }
}
