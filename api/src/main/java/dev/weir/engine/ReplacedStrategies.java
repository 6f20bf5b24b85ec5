package dev.weir.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.spi.Strategy;
import dev.weir.succession.CountsByKey;
import dev.weir.succession.HandsOver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The strategies that were replaced and whose permits in flight nothing else counts. Those without permits in flight are dropped
 * when the next one is added. Thread-safe.
 */
final class ReplacedStrategies {
    @GuardedBy("this")
    private final List<Strategy> strategies = new ArrayList<>();

    /** A strategy is followed by this one, which may be the same. */
    synchronized void add(Strategy strategy, Strategy next) {
        if (next == strategy) {
            return;
        }
        strategies.removeIf(old -> old.inFlight() == 0);
        for (Strategy member : strategy.members()) {
            boolean isCounted = HandsOver.counter(member) != null || member instanceof CountsByKey;
            if (!isCounted && !strategies.contains(member)) {
                strategies.add(member);
            }
        }
    }

    /** Runs the action in the first call that finds no permit in flight, here and in what counts the others, and never again. */
    Runnable onceDrained(Runnable action, LongSupplier others) {
        AtomicBoolean drained = new AtomicBoolean();
        return () -> {
            if (inFlight() == 0 && others.getAsLong() == 0 && drained.compareAndSet(false, true)) {
                action.run();
            }
        };
    }

    private synchronized long inFlight() {
        return strategies.stream().mapToLong(Strategy::inFlight).max().orElse(0);
    }
}
