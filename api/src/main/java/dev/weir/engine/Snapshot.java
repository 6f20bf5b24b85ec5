package dev.weir.engine;

import dev.weir.spi.StrategySpec;
import java.util.Map;

/**
 * How a limiter stands.
 *
 * @param name its name
 * @param spec the wish in force
 * @param limit the limit in force, in the strategy's own unit; 0 after close
 * @param inFlight permits granted by the strategy in force, or by one that shares its counter, and not returned
 * @param enforced the enforced share
 * @param oldestHeldNanos for how long the oldest tracked permit has been out; 0 if none is, or none is tracked
 * @param debtNanos what a rate owes: the nanoseconds until it is as good as new if nobody asks
 * @param details more figures of the strategy, by name
 */
public record Snapshot(
        String name,
        StrategySpec spec,
        long limit,
        long inFlight,
        double enforced,
        long oldestHeldNanos,
        long debtNanos,
        Map<String, Long> details) {}
