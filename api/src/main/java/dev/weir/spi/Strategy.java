package dev.weir.spi;

import dev.weir.Adjustable;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of one limit: it counts permits, and knows nothing of waiting, observers or changes of the
 * specification. Thread-safe and linearizable; no method blocks. Time comes from the ticker it was created with;
 * readings are compared by their difference only.
 *
 * <p>A concurrency limit implements {@link #acquire}, {@link #release}, {@link #limit} and {@link #setLimit}. A rate implements {@link
 * #acquire}, {@link #refund}, {@link #limit}, {@link #setLimit} and {@link #account}, and has {@linkplain #traits other traits}. Both
 * may tell what is left, by {@link #quota}. A limit whose answers depend on more of a request than its permits, such as on its key,
 * also has traits that {@linkplain Traits#explaining explain}.
 *
 * <p>What a concurrency limit has in flight is counted by the limiter in permits, at most 2^31-1, and goes through every change. While
 * permits that a replaced limit granted are held, a limit that does not explain grants no more permits than {@link #limit()} in all:
 * so it must be cheap to read. What else a limit decides by is not known of the permits of others.
 *
 * <p>Every method may be called by any thread, under a lock of the limiter, during a change. None may call a limiter, or wait for a
 * lock that is held around a call of one.
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

    /** The properties that the limiter must know. Default: {@link Traits#CONCURRENCY}. Always the same. */
    default Traits traits() {
        return Traits.CONCURRENCY;
    }

    /**
     * The permits that this rate granted and that have not refilled, with the figures of its present limit. If another rate takes its
     * place, that one starts with what is used here; and a key that was evicted returns with what is left of it, which refills
     * steadily. More than is true may be used, never less. Must not throw.
     *
     * @return null, which is the default, for a concurrency limit. Null, and then always, also for a rate with no such figures: its
     *     successor knows nothing of what it granted
     */
    default @Nullable Account account() {
        return null;
    }

    /**
     * The figures of the limit for requests like this one, without spending anything: {@code remaining} is how many permits such
     * requests would get now, all together. Must not block and must not count as a use.
     *
     * @return null, which is the default, if it is not known, or if the request has not the key that this limit counts by
     */
    default Permit.@Nullable Quota quota(Request request) {
        return null;
    }

    /**
     * The reason of a rejection, from an answer other than {@link #GRANTED}. Asked only of a strategy that {@linkplain
     * Traits#explaining explains}, also for an answer that is not its own.
     */
    default Rejection.Reason reason(Request request, long answer) {
        if (answer == UNTIL_RELEASE) {
            return Rejection.Reason.CONCURRENCY;
        }
        if (answer == UNAVAILABLE) {
            return Rejection.Reason.UNAVAILABLE;
        }
        return answer < 0 ? Rejection.Reason.NEVER : Rejection.Reason.RATE;
    }

    /** Other figures, by name. Only a few, and never one for each caller. */
    default Map<String, Long> details() {
        return Map.of();
    }
}
