package dev.weir.engine;

import dev.weir.spi.RefillRate;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a limiter stands.
 *
 * @param name its name
 * @param spec the specification in force
 * @param limit the limit in force, in the strategy's own unit; 0 after close
 * @param inFlight permits granted by the strategy in force, or by one that shares its counter, and not returned
 * @param enforced the enforced share
 * @param oldestHeldNanos for how long the oldest tracked permit has been out; 0 if none is, or none is tracked
 * @param debtNanos what a rate owes: at most the nanoseconds until it has refilled if nobody asks
 * @param limitSetBy who set another limit than the specification's since that was put in force, as told to {@link
 *     dev.weir.Adjustable#setLimit(long, String)}; null if nobody did
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
        @Nullable String limitSetBy,
        Map<String, Long> details) {

    /** The time in which the slowest of the rates refills, evenly, what it lacks; saturates. */
    static long owedNanos(Strategy strategy) {
        long most = 0;
        for (Strategy member : strategy.members()) {
            RefillRate flow = member.refillRate();
            if (flow != null) {
                BigInteger permits = BigInteger.valueOf(flow.permits());
                BigInteger nanos = BigInteger.valueOf(member.used())
                        .multiply(BigInteger.valueOf(flow.period()))
                        .add(permits.subtract(BigInteger.ONE))
                        .divide(permits);
                most = Math.max(most, nanos.bitLength() > 62 ? Long.MAX_VALUE - 1 : nanos.longValue());
            }
        }
        return most;
    }
}
