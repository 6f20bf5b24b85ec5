package dev.weir;

/**
 * What is left of a limit just after a decision.
 *
 * @param limit the limit, in the unit of the strategy
 * @param remaining permits that another request could get now
 * @param resetNanos nanoseconds until the limit is unused again if nothing more is granted
 */
public record Quota(long limit, long remaining, long resetNanos) {
    /**
     * @throws IllegalArgumentException if a number is negative
     */
    public Quota {
        if (limit < 0 || remaining < 0 || resetNanos < 0) {
            throw new IllegalArgumentException("limit, remaining and resetNanos must be >= 0, were " + limit + ", "
                    + remaining + " and " + resetNanos);
        }
    }
}
