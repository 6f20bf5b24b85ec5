package dev.weir.spi;

import dev.weir.Decision;
import dev.weir.Request;
import org.jspecify.annotations.Nullable;

/** What a queue sees of a limiter: it tries to acquire for requests that wait, and learns when to try again. */
public interface Gate {
    /** An attempt for a request of which nothing was kept when it arrived. */
    default Decision attempt(Request request) {
        return attempt(request, null);
    }

    /**
     * Tries to acquire. No observer is told of a refusal, since the request may be tried again. A permit is always an
     * object of its own, so that {@link dev.weir.Outcome#CANCELLED} gives back what a rate had spent.
     *
     * @param arrival what {@link #arrival} answered when the request arrived
     */
    Decision attempt(Request request, @Nullable Object arrival);

    /**
     * To be called once for each request that is going to wait, on the thread that makes it: what the limiter wants to
     * keep of it until it is granted, such as the thread and the stack for the report of leaked permits. Null if nothing.
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
}
