package dev.weir.succession;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The permits in flight of limits by key, of all keys together, in counters for different threads. Thread-safe and lock-free. */
public final class KeyedTotal {
    private static final int COUNTERS =
            Integer.highestOneBit(Math.min(16, 2 * Runtime.getRuntime().availableProcessors()));

    private final InFlight[] counters =
            Stream.generate(() -> new InFlight(InFlight.MAX)).limit(COUNTERS).toArray(InFlight[]::new);

    /** Counts permits. Returns the counter from which to release them; null if this was replaced, or if no counter has room. */
    public @Nullable InFlight count(long permits) {
        int own = (int) Thread.currentThread().getId();
        for (int i = 0; i < COUNTERS; i++) {
            InFlight counter = counters[(own + i) & (COUNTERS - 1)];
            if (counter.acquire(permits, 0) == InFlight.GRANTED) {
                return counter;
            }
        }
        return null;
    }

    List<InFlight> counters() {
        return List.of(counters);
    }
}
