package dev.weir.store.lease;

import java.util.Objects;

/**
 * The answer of a store to a request for a lease.
 *
 * @param token the token of the lease; 0 = refused
 * @param remaining permits that are free now
 * @param limit the limit by which it was decided
 * @param resetMicros microseconds until all leases have ended, if none is renewed
 * @param retryMicros of a rejection, microseconds until the first lease ends, or until the store accepts more than renewals; -1 = never,
 *     since the request is for more than the limit
 * @param reason why it was refused; {@code NONE} if it was not
 */
public record LeaseReply(long token, long remaining, long limit, long resetMicros, long retryMicros, Reason reason) {
    /** The reasons of an answer. */
    public enum Reason {
        /** It is granted. */
        NONE,

        /** Too many permits are held, or others wait for them. */
        HELD,

        /** The same, and this holder is among those that wait now. */
        WAITS,

        /** The store has lost data, and learns from renewals what is held. */
        RECOVERS,

        /** The store has as many leases of this semaphore as it can have, of all holders. */
        FULL
    }

    /**
     * @throws IllegalArgumentException if a number is too small, or the reason does not fit the token
     */
    public LeaseReply {
        Objects.requireNonNull(reason, "reason");
        if (token < 0 || remaining < 0 || limit < 0 || resetMicros < 0 || retryMicros < -1) {
            throw new IllegalArgumentException("numbers must be >= 0, and retryMicros >= -1, were " + token + ", "
                    + remaining + ", " + limit + ", " + resetMicros + " and " + retryMicros);
        }
        if (token > 0 != (reason == Reason.NONE)) {
            throw new IllegalArgumentException(
                    "reason must be NONE if and only if there is a token, was " + reason + " of token " + token);
        }
    }

    /** True if there is a lease. */
    public boolean isGranted() {
        return token > 0;
    }
}
