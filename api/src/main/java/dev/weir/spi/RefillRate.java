package dev.weir.spi;

/**
 * The figures of a rate limit: how fast its permits refill, and how many it grants at once.
 *
 * @param permits permits per period, at least 1
 * @param period nanoseconds, at least 1
 * @param burst the most permits granted at one instant, at least 1
 */
public record RefillRate(long permits, long period, long burst) {
    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a component is less than 1
     */
    public RefillRate {
        atLeastOne("permits", permits);
        atLeastOne("period", period);
        atLeastOne("burst", burst);
    }

    private static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be >= 1, was " + value);
        }
    }
}
