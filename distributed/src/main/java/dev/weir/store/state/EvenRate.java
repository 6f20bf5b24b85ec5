package dev.weir.store.state;

/**
 * An even rate: a bucket of units that leak.
 *
 * @param leak units that leak in a microsecond, at least 1
 * @param cost units of a permit, at least 1
 * @param cap units of a full bucket
 * @param largest the most permits of one request
 * @param isPaced whether a request waits for its first permit only, which takes the place of those after it
 * @param limit the permits of a period, which are told
 */
public record EvenRate(long leak, long cost, long cap, long largest, boolean isPaced, long limit) {
    static final int CAP = 2;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if a number is not in its range
     */
    public EvenRate {
        Units.inRange("leak", leak, 1);
        Units.inRange("cost", cost, 1);
        Units.inRange("cap", cap, 0);
        Units.inRange("largest", largest, 0);
        Units.inRange("limit", limit, 0);
    }

    /** In the order in which a state has them. */
    long[] parameters() {
        return new long[] {leak, cost, cap, largest, isPaced ? 1 : 0, limit};
    }
}
