package dev.weir.config.builtin;

import com.google.auto.service.AutoService;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.Values;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Priority;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The disciplines that only put waiters in an order. */
public final class Orders {
    private Orders() {}

    /** The factory of {@link Fifo}. */
    @AutoService(DisciplineFactory.class)
    public static final class FifoFactory implements DisciplineFactory {
        @Override
        public String name() {
            return "fifo";
        }

        @Override
        public String description() {
            return "First come, first served.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new Fifo();
        }
    }

    /** The factory of {@link Lifo}. */
    @AutoService(DisciplineFactory.class)
    public static final class LifoFactory implements DisciplineFactory {
        @Override
        public String name() {
            return "lifo";
        }

        @Override
        public String description() {
            return "Last come, first served.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new Lifo();
        }
    }

    /** The factory of {@link Priority}. */
    @AutoService(DisciplineFactory.class)
    public static final class PriorityFactory implements DisciplineFactory {
        private static final Field<Duration> AGEING = Fields.time("ageing")
                .describedAs("How long a request waits to count as one level more important, so that none starves.")
                .needed();

        @Override
        public String name() {
            return "priority";
        }

        @Override
        public String description() {
            return "The most important request is next: priority 0 before 1 before 2.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(AGEING);
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new Priority(values.get(AGEING));
        }
    }

    /** The factory of {@link EarliestDeadline}. */
    @AutoService(DisciplineFactory.class)
    public static final class EarliestDeadlineFactory implements DisciplineFactory {
        @Override
        public String name() {
            return "earliest-deadline";
        }

        @Override
        public String description() {
            return "The request that times out first is next.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public DisciplineSpec create(Values values) {
            return new EarliestDeadline();
        }
    }

    /** The factory of {@link FairShare}. */
    @AutoService(DisciplineFactory.class)
    public static final class FairShareFactory implements DisciplineFactory {
        private static final Field<Map<String, Long>> WEIGHTS = Field.map(
                        "weights", Field.count("weight").type())
                .describedAs("How many permits a key may use in its turn, at least 1; 1 for keys that are not in it.")
                .orElse(Map.of());

        @Override
        public String name() {
            return "fair-share";
        }

        @Override
        public String description() {
            return "Each key in turn, by weight, so that one greedy tenant cannot hold up the others.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(WEIGHTS);
        }

        @Override
        public DisciplineSpec create(Values values) {
            Map<Object, Integer> weights = new HashMap<>();
            values.get(WEIGHTS).forEach((key, weight) -> weights.put(key, exact(key, weight)));
            return new FairShare(weights);
        }

        private static int exact(String key, long weight) {
            if (weight < 1 || weight > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "weight of " + key + " must be >= 1 and <= 2147483647, was " + weight);
            }
            return (int) weight;
        }
    }
}
