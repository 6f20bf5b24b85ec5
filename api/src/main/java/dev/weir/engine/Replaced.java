package dev.weir.engine;

import dev.weir.spi.Strategy;
import java.util.ArrayList;
import java.util.List;

/** The strategies that were replaced while permits of theirs were in flight. Thread-safe. */
final class Replaced {
    private final List<Strategy> strategies = new ArrayList<>();

    synchronized void add(Strategy strategy) {
        strategies.removeIf(old -> old.inFlight() == 0);
        strategies.add(strategy);
    }

    /** Permits in flight; a permit that was handed over counts in each strategy that it counts for. */
    synchronized long inFlight() {
        return strategies.stream().mapToLong(Strategy::inFlight).max().orElse(0);
    }
}
