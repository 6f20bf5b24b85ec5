package dev.weir.store.state;

/**
 * The limit of a window, and the rate at which what is owed beside it is free again.
 *
 * @param leak units that leak in a microsecond, at least 1
 * @param cost units of a permit, at least 1
 * @param permits the limit, at least 1
 */
public record WindowLimit(long leak, long cost, long permits) {
    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if a number is not in its range
     */
    public WindowLimit {
        Units.inRange("leak", leak, 1);
        Units.inRange("cost", cost, 1);
        Units.inRange("permits", permits, 1);
    }
}
