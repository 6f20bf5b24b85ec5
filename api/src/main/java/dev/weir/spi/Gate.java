package dev.weir.spi;

import dev.weir.Decision;
import dev.weir.Request;

/** The place where a queue stands before a limiter: it asks, and hears when to ask again. */
public interface Gate {
    /**
     * Asks. A refusal is told to no observer, for the request may be made again. The permit is always one of its own,
     * so that {@link dev.weir.Outcome#CANCELLED} gives back what a rate had spent. Unlike {@code tryAcquire} it does not look
     * whether enough stack is left to return it: 8 KB are wanted for that.
     */
    Decision attempt(Request request);

    /**
     * Calls {@code wakeUp} after every event that may let a refused request in: a permit came home, the limit was
     * raised, the strategy was swapped, the limiter was closed. Called on the thread of that event, holding no lock,
     * after the capacity is there; what it throws is swallowed and counted.
     */
    Registration whenCapacity(Runnable wakeUp);
}
