package dev.weir.spi;

import dev.weir.Adjustable;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of one limit: it counts permits, and knows nothing of waiting, observers or changes of the
 * specification. Thread-safe and linearizable; no method blocks. Time comes from the ticker it was created with;
 * readings are compared by their difference only.
 *
 * <p>A concurrency limit implements {@link #acquire}, {@link #release}, {@link #inFlight}, {@link #limit} and {@link
 * #setLimit}. A rate implements {@link #acquire}, {@link #refund}, {@link #limit}, {@link #setLimit}, {@link #used} and {@link
 * #refillRate}, and has {@linkplain #traits other traits}. The other methods are for limits that are made of several.
 */
public interface Strategy extends Adjustable {
    /** The answer to a request that is granted. */
    long GRANTED = 0;

    /** The answer to a request that can be granted only after a release. */
    long UNTIL_RELEASE = Long.MAX_VALUE;

    /** The answer to a request that can never be granted with the present limit. */
    long NEVER = -1;

    /** The answer to a request that cannot be decided at present; it is refused, with the hint to try again in 100 ms. */
    long UNAVAILABLE = Long.MIN_VALUE;

    /**
     * Tries to acquire {@code request.permits()}, all of them or none.
     *
     * @return {@link #GRANTED}, {@link #UNTIL_RELEASE}, {@link #NEVER}, {@link #UNAVAILABLE}, or in how many nanoseconds to
     *     try again
     */
    long acquire(Request request);

    /**
     * Releases the permits of one grant of this request. Called exactly once for each grant, by any thread, also after a swap.
     *
     * @param outcome how the work ended. {@code CANCELLED} only if what the grant spent is to be refunded, because the request
     *     {@linkplain Request#isRefundable asked} for that, or because the grant is undone; otherwise {@code IGNORED} in its place
     */
    default void release(Request request, Outcome outcome) {}

    /**
     * Refunds what a grant has spent, for work that never started. Called after {@link #release}.
     *
     * @param grantedAt the reading of the ticker just before the grant
     */
    default void refund(Request request, long grantedAt) {}

    /** What the limiter must know of this strategy. Default: {@link Traits#CONCURRENCY}. Read once, when it comes into force. */
    default Traits traits() {
        return Traits.CONCURRENCY;
    }

    /** Permits granted and not released; 0 for a rate. */
    default long inFlight() {
        return 0;
    }

    /** The limit that was last set, if the limit in force moves towards it only slowly; otherwise the limit in force. */
    default long target() {
        return limit();
    }

    /**
     * Permits that could be granted now to one request without key.
     *
     * @return -1 if that is not known
     */
    default long remaining() {
        return -1;
    }

    /**
     * The figures of the limit for requests like this one, without spending anything: {@code remaining} is how many permits such
     * requests would get now, all together. Must not block and must not count as a use. By default, what
     * {@link #remaining} and {@link #refillRate} tell, so a limit whose answers depend on more of a request than its permits
     * overrides this, and so does a rate that does not refill steadily.
     *
     * @return null if it is not known, or if the request has not the key that this limit counts by
     */
    default Permit.@Nullable Quota quota(Request request) {
        long remaining = remaining();
        if (remaining < 0) {
            return null;
        }
        long limit = limit();
        RefillRate rate = refillRate();
        return new Permit.Quota(
                limit,
                remaining,
                EvictedState.nanosUntilRefilled(used(), rate),
                rate == null ? 0 : EvictedState.nanosUntilRefilled(limit, rate));
    }

    /** The reason of a rejection, from an answer other than {@link #GRANTED}. */
    default Rejection.Reason reason(Request request, long answer) {
        if (answer == UNTIL_RELEASE) {
            return Rejection.Reason.CONCURRENCY;
        }
        if (answer == UNAVAILABLE) {
            return Rejection.Reason.UNAVAILABLE;
        }
        return answer < 0 ? Rejection.Reason.NEVER : Rejection.Reason.RATE;
    }

    /**
     * The key by which this limit counts a request, if nothing but the requests with an equal key matters to it. As long as
     * the limit is the same, a refused request is then refused again until the time that the answer told, or until a permit
     * of a request with an equal key is released or refunded. A queue does not try it before.
     *
     * @return null, which is the default, if other requests matter too, or the request has not the key
     */
    default @Nullable Object countedBy(Request request) {
        return null;
    }

    /**
     * The reasons for which this limit may refuse a request. Meters show these from the start, and another one once it has
     * occurred. By default {@code NEVER}, and {@code CONCURRENCY} if a grant {@linkplain Traits#holds holds} its permits, otherwise
     * {@code RATE}; a limit whose {@link #reason} gives others names them here too.
     */
    default Set<Rejection.Reason> reasons() {
        return Set.of(Rejection.Reason.NEVER, traits().holds() ? Rejection.Reason.CONCURRENCY : Rejection.Reason.RATE);
    }

    /** Other figures, by name. Only a few, and never one for each caller. */
    default Map<String, Long> details() {
        return Map.of();
    }

    /**
     * The permits that a rate has granted and that have not refilled, rounded up. 0 for a concurrency limit.
     *
     * <p>Permits refill at the steady rate. For each earlier instant, take the permits granted since then, and subtract those that
     * have refilled since then. The result of this method is the largest of these differences. Example: a rate of 10 a second
     * granted 10 permits half a second ago; then 5 have refilled, and 5 are used.
     */
    default long used() {
        return 0;
    }

    /** The figures of a rate at its present limit; null for a concurrency limit, and if each key has its own rate. */
    default @Nullable RefillRate refillRate() {
        return null;
    }

    /** How far its limit has risen since it began cold; null if its limit does not rise by itself. */
    default @Nullable RampProgress ramp() {
        return null;
    }

    /**
     * The strategy that answers this request, if this one {@linkplain Traits#routes routes}. The permit is released to it
     * directly. Its {@link Traits#holds} must be the same as that of this strategy.
     */
    default Strategy route(Request request) {
        return this;
    }

    /** The strategies that must all grant a request, in the order of the specification's parts; by default itself. */
    default List<Strategy> members() {
        return List.of(this);
    }

    /**
     * Completes a change of which only a part was made before it came into force. May take time in proportion to the keys of a
     * table. Called by the thread that made the change, without a lock.
     */
    default void settle() {}

    /**
     * The figures of a rate limit: how fast its permits refill, and how many it grants at once.
     *
     * @param permits permits per period, at least 1
     * @param period nanoseconds, at least 1
     * @param burst the most permits granted at one instant, at least 1
     */
    record RefillRate(long permits, long period, long burst) {
        /**
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
}
