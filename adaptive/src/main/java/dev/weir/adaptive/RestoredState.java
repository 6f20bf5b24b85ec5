package dev.weir.adaptive;

import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Map;

/**
 * What was kept of a limiter, aged until now.
 *
 * @param name the limiter's name
 * @param limit the limit it had
 * @param learned what its controller had learned
 * @param debtNanos what its rate still owes: what it owed, less the time away
 * @param away how long ago that was
 * @param trust how far it still holds, {@code 2^(-away / halfLife)}, from 0 to 1
 */
public record RestoredState(
        String name, long limit, Map<String, Double> learned, long debtNanos, Duration away, double trust) {
    /** Copies the map. */
    public RestoredState {
        learned = Map.copyOf(learned);
    }

    /**
     * The limit to begin with where a new instance would begin with this: {@code initial * (limit / initial) ^ trust}, so
     * that the factor between the two fades, whichever is the greater.
     */
    public long limitFrom(long initial) {
        double faded = initial * StrictMath.pow((double) limit / initial, trust);
        return Math.max(1, Math.round(faded));
    }

    /**
     * The same specification, whose first strategy begins with the debt; a later one, such as by the specification alone
     * on a reload, takes over from it as from any other. The debt is as many permits as refill in {@code debtNanos} at the
     * saved limit, rounded up; they refill by the rate that begins.
     */
    public StrategySpec owedBy(StrategySpec spec) {
        return debtNanos == 0 ? spec : new IndebtedSpec(spec, limit, debtNanos);
    }

    @Override
    public String toString() {
        return "limit " + limit + ", away " + away.toMillis() + " ms";
    }
}
