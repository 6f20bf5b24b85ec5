package dev.weir.spi;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A limiter as a queue sees it: the queue tries to acquire for requests that wait, and is told when to try again.
 * Thread-safe; no method blocks.
 */
public interface Gate {
    /**
     * Tries to acquire for a request of a queue. Observers are not told of a rejection, since the request may be tried again:
     * {@link #refused} reports the last one. The permit is always an object of its own, so that all it spent can be refunded if
     * the request has ended meanwhile; released as {@link dev.weir.Outcome#CANCELLED}, it refunds what the request asks for.
     */
    Decision attempt(Request request);

    /**
     * Tries to acquire for a request that waited. Otherwise the same as {@link #attempt(Request)}.
     *
     * @param requestData the result of {@link #requestData} for this request
     */
    default Decision attempt(Request request, @Nullable Object requestData) {
        return attempt(request);
    }

    /**
     * Called once for each request that is going to wait, on the thread that makes it. Returns the data that the limiter
     * records of the request until it is granted, such as the thread and the stack for the report of leaked permits.
     *
     * @return null if there is nothing to record. Then this may be called again later for the same request, on any thread,
     *     because the limiter may have begun to record something
     */
    default @Nullable Object requestData() {
        return null;
    }

    /**
     * Adds a listener for every event after which a waiting request may be granted: a permit was released, the limit was
     * changed, the strategy was replaced, or the limiter was closed. A lower limit is such an event: if it is too low for one
     * request, others need not wait behind that one. The listener is called on the thread of the event, without a lock, after
     * the permits are free. An exception is ignored and counted.
     */
    Registration whenCapacity(Runnable wakeUp);

    /**
     * Adds a listener as {@link #whenCapacity} does. It is given the request whose permit was released, and null for every
     * other event. By default it is given null each time.
     */
    default Registration whenReleased(Consumer<@Nullable Request> wakeUp) {
        return whenCapacity(() -> wakeUp.accept(null));
    }

    /**
     * The key by which the limit in force now counts a request, if no other request matters to it. The same for a request of a
     * queue and for that of its permit. By default null.
     */
    default @Nullable Object countedBy(Request request) {
        return null;
    }

    /**
     * Reports that a request of the queue was refused for good, by the queue or by this gate. It is counted, and observers
     * are told. Called once for each such request. Must not throw.
     */
    default void refused(Request request, Rejection rejection) {}

    /** The share of the limit that is enforced: 1 refuses all requests over the limit, 0 lets all of them through. */
    default double enforced() {
        return 1;
    }

    /**
     * A permit that holds nothing, for a request that waits or is going to wait, if the limit is not {@linkplain #enforced
     * enforced} for it. The answer for one request, identified by its {@code requestData}, is the same each time, here and in
     * {@code attempt}, until a smaller share is enforced.
     *
     * @param requestData the result of {@link #requestData} for this request
     * @return null if the limit is enforced for this request
     */
    default @Nullable Permit letThrough(Request request, @Nullable Object requestData) {
        return null;
    }

    /**
     * Tests whether the limit in force now could grant a request if nothing were in flight or spent. The predicate may be used at any
     * later time, from any thread, and always answers for the limit that is in force now. A queue uses it to distinguish a
     * request that is too large from one that became too large while it waited. By default it accepts no request: then a
     * request counts as small enough only if it was refused before for another reason than {@code NEVER}.
     */
    default Predicate<Request> grantable() {
        return request -> false;
    }

    /**
     * True if a rejection depends on the number of permits alone: a request for as many or more permits cannot be granted
     * at the same moment either, whatever its key and priority. By default false.
     */
    default boolean refusesAlike() {
        return false;
    }

    /**
     * True if nobody should be tried after a request that was refused so, until it is granted: what refills is for all, and who
     * takes less of it must not go before who takes more. By default false.
     */
    default boolean holdsUpOthers(Request request, Rejection refused) {
        return false;
    }
}
