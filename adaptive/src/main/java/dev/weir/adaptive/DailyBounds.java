package dev.weir.adaptive;

import java.time.LocalTime;
import java.util.Objects;

/**
 * Bounds for a time of every day, by the local clock on the wall: where that clock leaves a time out they do not come into
 * force, where it shows a time twice they do so twice.
 *
 * @param from from when
 * @param to until when, itself not included; before {@code from} means over midnight
 * @param bounds the bounds
 */
public record DailyBounds(LocalTime from, LocalTime to, Bounds bounds) {
    /** Checks the components. */
    public DailyBounds {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(bounds, "bounds");
        if (from.equals(to)) {
            throw new IllegalArgumentException("to must differ from " + from + ", was " + to);
        }
    }

    boolean contain(LocalTime time) {
        boolean begun = !time.isBefore(from);
        boolean unended = time.isBefore(to);
        return from.isBefore(to) ? begun && unended : begun || unended;
    }
}
