package dev.weir.store;

import dev.weir.Permit.Quota;

/**
 * The answer of a store to a request for permits.
 *
 * @param granted permits that were taken; 0 = refused
 * @param remaining permits that another request could take now
 * @param limit the limit that decided: of several, the one that leaves the fewest permits, or that refused
 * @param resetNanos nanoseconds until that limit is unused again if nothing more is granted
 * @param retryAfterNanos nanoseconds until the same request could be granted; 0 if all of it was granted; {@link #NEVER}. After
 *     {@link StoreLimit#acquireUpTo}: until one more permit could be granted
 * @param healed values under the key that the store replaced because they were none of its own
 * @param at the instant of the answer by the store's own clock, for {@link StoreLimit#refund}; 0 = it is not told
 */
public record Reply(
        long granted, long remaining, long limit, long resetNanos, long retryAfterNanos, long healed, long at) {
    /** The request is for more than the limit can ever grant. */
    public static final long NEVER = -1;

    /**
     * @throws IllegalArgumentException if a number is negative, except for {@code NEVER}
     */
    public Reply {
        atLeast("granted", granted, 0);
        atLeast("remaining", remaining, 0);
        atLeast("limit", limit, 0);
        atLeast("resetNanos", resetNanos, 0);
        atLeast("retryAfterNanos", retryAfterNanos, NEVER);
        atLeast("healed", healed, 0);
    }

    /** The answer of a store that replaced nothing and does not tell the instant. */
    public Reply(long granted, long remaining, long limit, long resetNanos, long retryAfterNanos) {
        this(granted, remaining, limit, resetNanos, retryAfterNanos, 0, 0);
    }

    /** The figures of the limit that decided, so many nanoseconds after the answer, if so many permits remain. */
    Quota quota(long remainingNow, long nanosSince) {
        return new Quota(limit, remainingNow, Math.max(0, resetNanos - nanosSince));
    }

    /**
     * Until when what was granted by it counts in a window: the reading of the ticker, if it was this when it was asked. Of a limit by
     * cost, which knows that itself, the instant of the grant.
     */
    long counts(StoreLimit granter, long sentAt) {
        return granter.countsCost() ? at : sentAt + resetNanos;
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be >= " + least + ", was " + value);
        }
    }
}
