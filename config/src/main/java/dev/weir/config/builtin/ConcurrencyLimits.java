package dev.weir.config.builtin;

import static dev.weir.config.builtin.Fields.CONCURRENCY;
import static dev.weir.config.builtin.Fields.PERCENT;

import com.google.auto.service.AutoService;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.Map;

/** The limits of what is in flight. */
public final class ConcurrencyLimits {
    private ConcurrencyLimits() {}

    /** The factory of {@link Closed}. */
    @AutoService(StrategyFactory.class)
    public static final class ClosedFactory implements StrategyFactory {
        @Override
        public String name() {
            return "closed";
        }

        @Override
        public String description() {
            return "Refuses every request.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public StrategySpec create(Values values) {
            return new Closed();
        }
    }

    /** The factory of {@link Open}. */
    @AutoService(StrategyFactory.class)
    public static final class OpenFactory implements StrategyFactory {
        @Override
        public String name() {
            return "open";
        }

        @Override
        public String description() {
            return "Grants every request; permits in flight are counted, for the limit that follows.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public StrategySpec create(Values values) {
            return new Open();
        }
    }

    /** The factory of {@link Semaphore}. */
    @AutoService(StrategyFactory.class)
    public static final class SemaphoreFactory implements StrategyFactory {
        @Override
        public String name() {
            return "semaphore";
        }

        @Override
        public String description() {
            return "At most so many permits in flight.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(CONCURRENCY);
        }

        @Override
        public StrategySpec create(Values values) {
            return new Semaphore(values.get(CONCURRENCY));
        }
    }

    /** The factory of {@link Counter}. */
    @AutoService(StrategyFactory.class)
    public static final class CounterFactory implements StrategyFactory {
        @Override
        public String name() {
            return "counter";
        }

        @Override
        public String description() {
            return "At most so many requests in flight, each for one permit.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(CONCURRENCY);
        }

        @Override
        public StrategySpec create(Values values) {
            return new Counter(values.get(CONCURRENCY));
        }
    }

    /** The factory of {@link Partitioned}. */
    @AutoService(StrategyFactory.class)
    public static final class PartitionedFactory implements StrategyFactory {
        private static final Field<Map<String, Integer>> PERCENTS = Field.map("percents", PERCENT)
                .describedAs("The guarantee of each key in per cent of the limit, at most 100 in sum.")
                .needed();
        private static final Field<Integer> LENT = Field.of("lent", PERCENT)
                .describedAs("How much of an unused guarantee others may borrow, in per cent.")
                .needed();

        @Override
        public String name() {
            return "partitioned";
        }

        @Override
        public String description() {
            return "At most so many permits in flight, with a guarantee for each key, which others may borrow while it is unused.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(CONCURRENCY, PERCENTS, LENT);
        }

        @Override
        public StrategySpec create(Values values) {
            return new Partitioned(values.get(CONCURRENCY), Map.copyOf(values.get(PERCENTS)), values.get(LENT));
        }
    }

    /** The factory of {@link PriorityShedding}. */
    @AutoService(StrategyFactory.class)
    public static final class PrioritySheddingFactory implements StrategyFactory {
        private static final Field<List<Integer>> RESERVED = Field.list("reserved", PERCENT)
                .describedAs(
                        "What requests of priority 1, 2, ... leave free, in per cent of the limit, never decreasing.")
                .needed();

        @Override
        public String name() {
            return "priority-shedding";
        }

        @Override
        public String description() {
            return "At most so many permits in flight; less important requests are refused earlier.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(CONCURRENCY, RESERVED);
        }

        @Override
        public StrategySpec create(Values values) {
            return new PriorityShedding(values.get(CONCURRENCY), values.get(RESERVED));
        }
    }
}
