package dev.weir.store.lease;

/**
 * The terms of a semaphore that each call names.
 *
 * @param limit the permits that may be held at a time; at least 0
 * @param leaseMicros the length of a lease in microseconds; at least 1
 */
public record LeaseTerms(long limit, long leaseMicros) {
    /**
     * @throws IllegalArgumentException if a number is too small
     */
    public LeaseTerms {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must be >= 0, was " + limit);
        }
        if (leaseMicros < 1) {
            throw new IllegalArgumentException("leaseMicros must be >= 1, was " + leaseMicros);
        }
    }
}
