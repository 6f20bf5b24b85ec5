package dev.weir.store.rates;

import dev.weir.algorithms.LeakyBucket;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.PermitRate;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;

/** The factory of {@link Ban}. */
public final class BanFactory implements StrategyFactory {
    private static final Field<PermitRate> RATE = Field.rate("rate")
            .describedAs("How many permits there are in which time, such as 5/10min.")
            .needed();
    private static final Field<Long> BURST = Field.count("burst")
            .describedAs("How many permits fit beside the first.")
            .atLeast(0L)
            .atMost((1L << 60) - 1)
            .orElse(0L);
    private static final Field<Duration> TIME = Field.duration("time")
            .describedAs("How long a key is refused that asks for more.")
            .atLeast(Duration.ofNanos(1))
            .atMost(Duration.ofDays(26_687))
            .needed();

    /** For {@link java.util.ServiceLoader}. */
    public BanFactory() {}

    @Override
    public String name() {
        return "ban";
    }

    @Override
    public String description() {
        return "A leaky bucket; a key that asks for more is refused for a time, on all instances if a store counts.";
    }

    @Override
    public List<Field<?>> fields() {
        return List.of(RATE, BURST, TIME);
    }

    @Override
    public StrategySpec create(Values values) {
        PermitRate rate = values.get(RATE);
        return new Ban(new LeakyBucket(rate.permits(), rate.period(), values.get(BURST)), values.get(TIME));
    }
}
