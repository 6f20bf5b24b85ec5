package dev.weir.spi;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a queue sees of a limiter: it tries to acquire for requests that wait, and learns when to try again. Thread-safe. */
public interface Gate {
    /**
     * Tries to acquire. No observer is told of a refusal, since the request may be tried again: {@link #refused} tells the
     * last one. The permit is always an object of its own, so that {@link dev.weir.Outcome#CANCELLED} gives back what a
     * rate had spent. Does not block.
     */
    Decision attempt(Request request);

    /**
     * Tries to acquire for a request that waited.
     *
     * @param arrival what {@link #arrival} answered when the request arrived
     */
    default Decision attempt(Request request, @Nullable Object arrival) {
        return attempt(request);
    }

    /**
     * To be called once for each request that is going to wait, on the thread that makes it: what the limiter wants to
     * keep of it until it is granted, such as the thread and the stack for the report of leaked permits. Null if nothing:
     * then it may be called again later, on any thread, when the limiter may have begun to keep something.
     */
    default @Nullable Object arrival() {
        return null;
    }

    /**
     * Calls {@code wakeUp} after every event that may let a refused request in: a permit was released, the limit was
     * raised, the strategy was replaced, the limiter was closed. Called on the thread of that event, holding no lock,
     * after the capacity is there; what it throws is caught and counted.
     */
    Registration whenCapacity(Runnable wakeUp);

    /**
     * Tells that a request that was tried here, or not at all, was refused for good, by the queue or by this gate: counted,
     * and told to observers, once a request. Must not throw.
     */
    default void refused(Request request, Rejection rejection) {}

    /** How much of the limit is enforced: 1 as a rule, 0 where each request that is refused is let through. */
    default double enforced() {
        return 1;
    }

    /**
     * Judges a request that is going to wait without being tried, or that waits: a permit that holds nothing if the limit
     * is not {@linkplain #enforced enforced} for it. One request, told by its {@code arrival}, is judged alike each time,
     * here and where it is tried, until a smaller share is enforced. Does not block.
     *
     * @param arrival what {@link #arrival} answered for this request
     * @return null if the limit is enforced for it
     */
    default @Nullable Permit letThrough(Request request, @Nullable Object arrival) {
        return null;
    }

    /**
     * Which requests the limit in force now can grant, were nothing in flight or spent. What is answered may be asked at
     * any later time, from any thread, and tells of the limit as it is now. It distinguishes a request that never fitted
     * from one that the limit has fallen below while it waited. By default none: then only a request that was refused for
     * another reason than {@code NEVER} before is known to have fitted.
     */
    default Predicate<Request> grantable() {
        return request -> false;
    }

    /**
     * Whether a refusal depends on the number of permits alone: then no other request for as many permits, or more, can
     * be granted at the same moment, whatever its key and priority. False where that is not known.
     */
    default boolean refusesAlike() {
        return false;
    }
}
