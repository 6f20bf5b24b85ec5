package dev.weir.adaptive;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.IndebtedRate;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    /**
     * A specification whose first strategy starts with a debt: {@code debtNanos} of refilling, of the first part at {@code limit}, which
     * may differ from its own limit, of the others at theirs, for they may count in other units.
     */
    private record IndebtedSpec(StrategySpec spec, long limit, long debtNanos) implements PartSpec {
        IndebtedSpec {
            Objects.requireNonNull(spec, "spec");
        }

        @Override
        public Strategy create(Ticker ticker) {
            List<PartStrategy> made = new ArrayList<>();
            for (StrategySpec part : parts()) {
                PartStrategy strategy = Parts.create(part, ticker);
                Account flow = strategy.account();
                long perPeriod = made.isEmpty() || flow == null ? limit : flow.permits();
                made.add(flow == null ? strategy : IndebtedRate.of(strategy, permits(flow, perPeriod), ticker));
            }
            return compose(made, ticker);
        }

        private long permits(Account flow, long perPeriod) {
            BigInteger period = BigInteger.valueOf(flow.period());
            return BigInteger.valueOf(debtNanos)
                    .multiply(BigInteger.valueOf(perPeriod))
                    .add(period.subtract(BigInteger.ONE))
                    .divide(period)
                    .min(BigInteger.valueOf(Long.MAX_VALUE / 2))
                    .longValue();
        }

        @Override
        public List<StrategySpec> parts() {
            return spec.parts();
        }

        @Override
        public PartStrategy compose(List<PartStrategy> parts, Ticker ticker) {
            return Parts.of(spec).compose(parts, ticker);
        }
    }
}
