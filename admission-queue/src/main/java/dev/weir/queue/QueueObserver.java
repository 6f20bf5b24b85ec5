package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Request;

/**
 * Hears how each wait ended. Called holding no lock, on the thread that ended it; must be thread-safe and quick. What it
 * throws is swallowed and counted.
 */
@FunctionalInterface
public interface QueueObserver {
    /**
     * A request that waited was granted or refused. Requests that were answered at once are not told.
     *
     * @param waitedNanos for how long, never negative
     */
    void onWaited(Request request, Decision decision, long waitedNanos);
}
