package dev.weir.succession;

import dev.weir.spi.Strategy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A concurrency limit that can tell its successors which permits it has in flight. */
public interface HandsOver extends Strategy {
    /** The counter of every permit that this limit has in flight; null if it counts by key. */
    default @Nullable InFlight counter() {
        return null;
    }

    /**
     * Counts what is in flight now in each of these as well, until it is released, and nothing that is granted later. A
     * {@linkplain #counter counter} of all permits ends with it; a limit by key goes on.
     */
    default void handOver(List<InFlight> successors) {
        InFlight counter = counter();
        if (counter != null) {
            counter.handOver(successors);
        }
    }

    /** The counter of a strategy; null if it has none. */
    static @Nullable InFlight counter(Strategy strategy) {
        return strategy instanceof HandsOver limit ? limit.counter() : null;
    }

    /** Hands over what a strategy has in flight, if it can. */
    static void handOver(Strategy strategy, List<InFlight> successors) {
        if (strategy instanceof HandsOver limit) {
            limit.handOver(successors);
        }
    }
}
