package dev.weir.spi;

import dev.weir.Adjustable;
import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of a limit: it counts, and knows nothing of permits, waiting, observers or swaps. Thread-safe and
 * linearizable; no method blocks. Time comes from the ticker it was created with, compared by difference only.
 */
public interface Strategy extends Adjustable {
    /** The answer to a request that is in. */
    long GRANTED = 0;

    /** The answer to a request that only a release can help. */
    long UNTIL_RELEASE = Long.MAX_VALUE;

    /** The answer to a request that can never be granted as the limit stands. */
    long NEVER = -1;

    /**
     * Asks for {@code request.permits()}, all or nothing.
     *
     * @return {@link #GRANTED}, {@link #UNTIL_RELEASE}, {@link #NEVER}, or in how many nanoseconds to ask again
     */
    long acquire(Request request);

    /** Takes back what a grant of this request holds. Called exactly once a grant, by any thread, also after a swap. */
    default void release(Request request, Outcome outcome) {}

    /**
     * Gives back what a grant had spent, for work that never started. Called after {@link #release}.
     *
     * @param grantedAt the ticker's reading from just before the grant
     */
    default void refund(Request request, long grantedAt) {}

    /** Permits granted and not released, 0 for a rate. */
    default long inFlight() {
        return 0;
    }

    /** The limit last asked for, where the one in force only moves towards it; else the same. */
    default long target() {
        return limit();
    }

    /** Whether a grant holds something that must come home. If not, one shared permit serves all. */
    default boolean holds() {
        return true;
    }

    /** Whether a grant spends something that {@link #refund} can give back. */
    default boolean refunds() {
        return !holds();
    }

    /**
     * Permits that could be granted at this moment to one request without key, an instant's figure.
     *
     * @return -1 where that is not known
     */
    default long remaining() {
        return -1;
    }

    /**
     * Whether refusals differ from one to the next in more than the wait: then {@link #reason} and {@link #limit} are
     * asked at each, else the answer alone says it. A strategy whose answer depends on more of a request than its permits
     * must say true here or {@linkplain #routes route}: else a queue takes a refusal of one request for a refusal of
     * every other that asks for as many permits.
     */
    default boolean explains() {
        return false;
    }

    /** What an answer other than {@link #GRANTED} means to the caller. */
    default Rejection.Reason reason(Request request, long answer) {
        if (answer == UNTIL_RELEASE) {
            return Rejection.Reason.CONCURRENCY;
        }
        return answer < 0 ? Rejection.Reason.NEVER : Rejection.Reason.RATE;
    }

    /** Whether each request is answered by a strategy of its own, found by {@link #route}. */
    default boolean routes() {
        return false;
    }

    /** The strategy that answers this request; its permit returns there without another look. */
    default Strategy route(Request request) {
        return this;
    }

    /**
     * The permits that a rate has granted and that have not refilled, rounded up, by its own rate and steadily: the most
     * by which the permits granted since any earlier instant exceed what refilled since then. 0 for a concurrency limit.
     */
    default long used() {
        return 0;
    }

    /** How far its limit has risen since it began cold; null if its limit does not rise by itself. */
    default @Nullable RampProgress ramp() {
        return null;
    }

    /** The figures of a rate at its present limit; null for a concurrency limit, and where each key has a rate of its own. */
    default @Nullable RefillRate refillRate() {
        return null;
    }

    /**
     * Completes a change that was published before all of it was made. May take time in proportion to the keys of a
     * table; called by the thread that made the change, which holds no lock.
     */
    default void settle() {}

    /** The strategies that all have to grant a request, in the order of the specification's parts; itself if it is one. */
    default List<Strategy> members() {
        return List.of(this);
    }

    /** More figures, by name; few, and never one per caller. */
    default Map<String, Long> details() {
        return Map.of();
    }
}
