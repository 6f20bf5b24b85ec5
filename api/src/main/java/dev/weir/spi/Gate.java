package dev.weir.spi;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Request;

/** What a queue needs of the limiter behind it: to ask for a request, and to hear when to ask again. Thread-safe. */
public interface Gate {
    /**
     * Asks. A refusal is told to no observer, for the request may be asked for again: {@link #refused} tells the last
     * one. The permit is always one of its own, so that {@link dev.weir.Outcome#CANCELLED} gives back what a rate had
     * spent. Does not block.
     */
    Decision attempt(Request request);

    /**
     * Calls {@code wakeUp} after every event that may let a refused request in: a permit was released, the limit was
     * raised, the strategy was swapped, the limiter was closed. Called on the thread of that event, holding no lock,
     * after the capacity is there; what it throws is swallowed and counted.
     */
    Registration whenCapacity(Runnable wakeUp);

    /**
     * Tells that a request that was asked for here, or not at all, was refused for good, by the queue or by this gate:
     * counted and told to observers once a request. Must not throw.
     */
    default void refused(Request request, Rejection rejection) {}

    /**
     * Whether a refusal depends on the number of permits alone: then no other request for as many permits, or more, can
     * be granted at the same moment, whatever its key and priority. False where that is not known.
     */
    default boolean refusesAlike() {
        return false;
    }
}
