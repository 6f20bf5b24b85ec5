package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Request;

/**
 * A listener to the end of each wait and to changes of the specification, called on the thread that made it, holding no lock.
 * Must be thread-safe and quick. An exception is ignored and counted.
 */
@FunctionalInterface
public interface QueueObserver {
    /**
     * A request that waited was granted or refused. Not called for requests that did not wait.
     *
     * @param waitedNanos how long it waited, never negative
     */
    void onWaited(Request request, Decision decision, long waitedNanos);

    /** Another specification is in force, that of {@link QueueView#snapshot}. By default does nothing. */
    default void onReconfigured() {}
}
