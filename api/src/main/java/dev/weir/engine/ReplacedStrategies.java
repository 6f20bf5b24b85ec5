package dev.weir.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.spi.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The strategies that were replaced, member by member, since several may share one that goes on. Those without permits in
 * flight are dropped when the next one is added. Thread-safe.
 */
final class ReplacedStrategies {
    @GuardedBy("this")
    private final List<Strategy> strategies = new ArrayList<>();

    /** A strategy is followed by this one, which may be the same. */
    synchronized void add(Strategy strategy, Strategy next) {
        if (next != strategy) {
            strategies.removeIf(old -> old.inFlight() == 0);
            for (Strategy member : strategy.members()) {
                if (!strategies.contains(member)) {
                    strategies.add(member);
                }
            }
        }
    }

    /** Runs the action in the first call that finds no permit in flight, and never again. */
    Runnable onceDrained(Runnable action) {
        AtomicBoolean drained = new AtomicBoolean();
        return () -> {
            if (inFlight() == 0 && drained.compareAndSet(false, true)) {
                action.run();
            }
        };
    }

    /** The most permits in flight in any of them, since a permit that was handed over counts in several. */
    synchronized long inFlight() {
        return strategies.stream().mapToLong(Strategy::inFlight).max().orElse(0);
    }
}
