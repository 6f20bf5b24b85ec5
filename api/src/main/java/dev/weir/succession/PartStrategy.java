package dev.weir.succession;

import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A strategy that can be composed with others, warmed up, kept by key and replaced, and what that takes besides its arithmetic. */
public interface PartStrategy extends Strategy {
    /**
     * The answer of a {@linkplain #route route} to a request that met a change of its key. What was granted for a moment may have
     * caused rejections: waiters are to be woken, and the request routed and asked again.
     */
    long AGAIN = Long.MIN_VALUE + 1;

    /** Takes so many permits for a request, whatever it asks for, as {@link #acquire(Request)} does. */
    default long acquire(Request request, long permits) {
        return acquire(request.permits() == permits ? request : request.withPermits(permits));
    }

    /** Reads from the {@link #account} how much is used; 0 if there is none. */
    default long used() {
        Account account = account();
        return account == null ? 0 : account.used();
    }

    /** Permits granted and not released; 0 for a rate. By default those of the {@link #counter}. */
    default long inFlight() {
        InFlight own = counter();
        return own == null ? 0 : own.inFlight();
    }

    /** The counter of every permit that this limit has in flight, of which its successors take over the count; null if it has none. */
    default @Nullable InFlight counter() {
        return null;
    }

    /** The limit that was last set, if the limit in force moves towards it only slowly; otherwise the limit in force. */
    default long target() {
        return limit();
    }

    /** The reasons for which it may refuse a request. Meters show these from the start, and another one once it has occurred. */
    default Set<Reason> reasons() {
        return Set.of(Reason.NEVER, traits().holds() ? Reason.CONCURRENCY : Reason.RATE);
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

    /** True for a bucket that refills steadily and has no debt: what its account says is used is all that is missing from it. */
    default boolean isSteady() {
        return false;
    }

    /** The progress of its limit since it began cold; null if its limit does not rise by itself. */
    default @Nullable RampProgress ramp() {
        return null;
    }

    /** True if each request is answered by another strategy, the one that {@link #route} returns. */
    default boolean routes() {
        return false;
    }

    /** The strategy that answers this request, and to which its permit is released. It holds permits if this one does. */
    default Strategy route(Request request) {
        return this;
    }

    /** The strategies that must all grant a request, in the order of the specification's parts; by default itself. */
    default List<PartStrategy> members() {
        return List.of(this);
    }

    /**
     * Takes over what an earlier strategy of the same {@link PartSpec#kind} knows besides its permits in flight, which it replaces only
     * because permits are counted from the start. Called before this one is in force; the earlier one may be told of releases later. By
     * default nothing.
     */
    default void takeOver(PartStrategy before) {}

    /** Completes a change, on the thread that made it, without a lock. May take time in proportion to the keys of a table. */
    default void settle() {}
}
