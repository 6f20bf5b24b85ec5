package dev.weir.config.builtin;

import com.google.auto.service.AutoService;
import dev.weir.algorithms.CapacityPlan;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;

/** The factory of a {@link TokenBucket} at the peak of a {@link CapacityPlan}. */
@AutoService(StrategyFactory.class)
public final class PlannedRateFactory implements StrategyFactory {
    private static final Field<Long> PER_DAY =
            Field.count("per-day").describedAs("The requests of a day.").needed();
    private static final Field<Duration> BUSY = Fields.time("busy")
            .describedAs("The part of the day in which they come, at most 24h.")
            .atMost(CapacityPlan.DAY)
            .orElse(CapacityPlan.DAY);
    private static final Field<Double> PEAK = Field.number("peak")
            .describedAs(
                    "The peak divided by the average; 4 if four fifths of the requests come in a fifth of the time.")
            .atLeast(1.0)
            .atMost(1000.0)
            .orElse(1.0);

    @Override
    public String name() {
        return "planned-rate";
    }

    @Override
    public String description() {
        return "As many permits a second as the requests of a day need at their peak.";
    }

    @Override
    public List<Field<?>> fields() {
        return List.of(PER_DAY, BUSY, PEAK);
    }

    @Override
    public StrategySpec create(Values values) {
        CapacityPlan plan = new CapacityPlan(values.get(PER_DAY), values.get(BUSY), values.get(PEAK));
        return TokenBucket.of(plan.peakQps(), Duration.ofSeconds(1));
    }
}
