package dev.weir.config.builtin;

import dev.weir.budget.AdaptiveThrottle;
import dev.weir.budget.HedgeBudget;
import dev.weir.budget.RetryBudget;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.PermitRate;
import dev.weir.spi.StrategySpec;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The names of limits around the calls of a client. */
final class ClientLimits {
    private static final long MOST_A_SECOND = 1_000_000_000;
    private static final BigInteger SECOND = BigInteger.valueOf(MOST_A_SECOND);

    private static final Field<Double> RETRIES =
            Field.share("retries").describedAs("The share of the calls that succeed which may be retried.");
    private static final Field<PermitRate> FLOOR = Field.rate("floor")
            .describedAs(
                    "How many retries a second are granted whatever succeeds, in whole ones. Default: none. With retries.");
    private static final Field<Duration> PERIOD = Field.duration("period")
            .describedAs("For how long a success counts. Default: 10s. With retries.")
            .atLeast(Duration.ofSeconds(1))
            .atMost(Duration.ofHours(1));
    private static final Field<Double> HEDGES =
            Field.share("hedges").describedAs("The share of the calls that succeed which may be hedged.");
    private static final Field<Long> BURST = Field.count("burst")
            .describedAs("The most hedges at once. Default: 10. With hedges.")
            .atMost((long) Integer.MAX_VALUE);

    private static final Field<StrategySpec> BUDGET = Field.<StrategySpec>of(
                    "budget",
                    new ValueType.Section<>(
                            "a map with retries or hedges",
                            List.of(RETRIES, FLOOR, PERIOD, HEDGES, BURST),
                            null,
                            ClientLimits::budget))
            .describedAs("A map: retries with floor and period, or hedges with burst.")
            .needed();

    private static final Field<Double> K = Field.number("k")
            .describedAs("How many calls the service may get for each that it takes.")
            .atLeast(1.0)
            .atMost(1000.0)
            .orElse(2.0);
    private static final Field<Duration> WINDOW = Field.duration("window")
            .describedAs("The time over which calls are counted.")
            .atLeast(Duration.ofSeconds(1))
            .atMost(Duration.ofHours(1))
            .orElse(Duration.ofMinutes(2));
    private static final Field<StrategySpec> THROTTLE = Field.<StrategySpec>of(
                    "throttle",
                    new ValueType.Section<>(
                            "a map, or only its k",
                            List.of(K, WINDOW),
                            K,
                            values -> new AdaptiveThrottle(values.get(K), values.get(WINDOW))))
            .describedAs("A map, or only k.")
            .needed();

    static final List<Entry<StrategySpec>> ALL = List.of(
            new Entry<>(
                    "budget",
                    "Around the calls of a client: first attempts are granted, and retries or hedges as a share of what succeeds.",
                    List.of(BUDGET),
                    values -> values.get(BUDGET)),
            new Entry<>(
                    "throttle",
                    "Around the calls of a client: refuses some of them, in proportion to what the service refuses.",
                    List.of(THROTTLE),
                    values -> values.get(THROTTLE)));

    private ClientLimits() {}

    private static StrategySpec budget(Values values) {
        Optional<Double> retries = values.find(RETRIES);
        Optional<Double> hedges = values.find(HEDGES);
        if (retries.isPresent() == hedges.isPresent()) {
            throw new IllegalArgumentException("must have either retries or hedges");
        }
        if (retries.isPresent()) {
            none(values, "hedges", BURST);
            RetryBudget budget = RetryBudget.of(
                    retries.get(),
                    values.find(FLOOR).map(ClientLimits::perSecond).orElse(0L));
            return values.find(PERIOD)
                    .map(period -> new RetryBudget(budget.share(), budget.floorPerSecond(), period))
                    .orElse(budget);
        }
        none(values, "retries", FLOOR);
        none(values, "retries", PERIOD);
        HedgeBudget budget = HedgeBudget.of(hedges.orElseThrow());
        return values.find(BURST)
                .map(burst -> new HedgeBudget(budget.share(), burst))
                .orElse(budget);
    }

    private static void none(Values values, String owner, Field<?> field) {
        if (values.find(field).isPresent()) {
            throw new IllegalArgumentException(field.name() + " must not be given without " + owner);
        }
    }

    private static long perSecond(PermitRate floor) {
        BigInteger permits = BigInteger.valueOf(floor.permits()).multiply(SECOND);
        BigInteger[] whole =
                permits.divideAndRemainder(BigInteger.valueOf(floor.period().toNanos()));
        if (whole[1].signum() != 0 || whole[0].compareTo(SECOND) > 0) {
            throw new IllegalArgumentException(
                    "floor must be a whole number of retries a second, at most " + MOST_A_SECOND + ", such as 3/s");
        }
        return whole[0].longValue();
    }
}
