package dev.weir.adaptive;

import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Map;

/**
 * The saved state of a limiter, or of {@link LearnedCost learned costs}, aged until now.
 *
 * @param name the limiter's name
 * @param limit the limit it had; 1 for costs
 * @param learned what its controller had learned, or the costs
 * @param debtNanos the debt of its rate in nanoseconds: what it owed, less the time since
 * @param away the time since it was saved
 * @param trust how far it still holds, {@code 2^(-away / halfLife)}: from 0 to 1
 */
public record RestoredState(
        String name, long limit, Map<String, Double> learned, long debtNanos, Duration away, double trust) {
    /** Copies the map. */
    public RestoredState {
        learned = Map.copyOf(learned);
    }

    /**
     * The first limit where an instance without saved state would start with {@code initial}: {@code initial * (limit /
     * initial) ^ trust}, so that the factor between the two fades, whichever is greater. At least 1.
     */
    public long limitFrom(long initial) {
        double faded = initial * StrictMath.pow((double) limit / initial, trust);
        return Math.max(1, Math.round(faded));
    }

    /**
     * The same specification, but its first strategy starts with the debt; a later one, such as after a reload of the
     * configuration, takes over from it as from any other. The debt is the permits that refill in {@code debtNanos} at the
     * saved limit, rounded up; they refill at the new rate.
     */
    public StrategySpec withDebt(StrategySpec spec) {
        return debtNanos == 0 ? spec : new IndebtedSpec(spec, limit, debtNanos);
    }

    @Override
    public String toString() {
        return "limit " + limit + ", away " + away.toMillis() + " ms";
    }
}
