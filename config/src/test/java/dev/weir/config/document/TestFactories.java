package dev.weir.config.document;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.controller.Aimd;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.Min;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.builtin.Factories;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.ValueType;
import dev.weir.config.factory.Values;
import dev.weir.named.plan.PermitRate;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The smallest factories that a document needs. */
final class TestFactories {
    private static final Field<Long> CONCURRENCY = Field.count("concurrency").needed();
    private static final Field<PermitRate> RATE = Field.rate("rate").needed();
    private static final Field<Long> BURST = Field.count("burst");
    private static final Field<Duration> TARGET = Field.duration("target").orElse(Duration.ofMillis(5));
    private static final Field<List<Controller>> OF = Field.list("of", new ValueType.Named<>(Controller.class));

    private TestFactories() {}

    record Strategies(String name, List<Field<?>> fields, Function<Values, StrategySpec> creation)
            implements StrategyFactory {
        @Override
        public String description() {
            return name;
        }

        @Override
        public StrategySpec create(Values values) {
            return creation.apply(values);
        }
    }

    record Disciplines(String name, List<Field<?>> fields, Function<Values, DisciplineSpec> creation)
            implements DisciplineFactory {
        @Override
        public String description() {
            return name;
        }

        @Override
        public DisciplineSpec create(Values values) {
            return creation.apply(values);
        }
    }

    record Controllers(String name, List<Field<?>> fields, Function<Values, Controller> creation)
            implements ControllerFactory {
        @Override
        public String description() {
            return name;
        }

        @Override
        public Controller create(Values values) {
            return creation.apply(values);
        }
    }

    record Signals(String name) implements SignalFactory {
        @Override
        public String description() {
            return name;
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public Signal create(Values values) {
            return new Constant(name);
        }
    }

    record Constant(String name) implements Signal {
        @Override
        public double read() {
            return 0;
        }
    }

    static StrategySpec bucket(Values values) {
        PermitRate rate = values.get(RATE);
        TokenBucket bucket = TokenBucket.of(rate.permits(), rate.period());
        return values.find(BURST).map(bucket::withCapacity).orElse(bucket);
    }

    static List<Factory<?>> all() {
        return List.of(
                new Strategies("semaphore", List.of(CONCURRENCY), values -> new Semaphore(values.get(CONCURRENCY))),
                new Strategies("token-bucket", List.of(RATE, BURST), TestFactories::bucket),
                new Strategies(
                        "sliding-window",
                        List.of(RATE),
                        values -> SlidingWindow.of(
                                values.get(RATE).permits(), values.get(RATE).period())),
                new Strategies("faulty", List.of(), values -> {
                    throw new StackOverflowError();
                }),
                new Disciplines("fifo", List.of(), values -> new Fifo()),
                new Disciplines(
                        "codel", List.of(TARGET), values -> new CoDel(values.get(TARGET), Duration.ofMillis(100))),
                new Controllers("crest", List.of(), values -> new Crest()),
                new Controllers("aimd", List.of(), values -> new Aimd()),
                new Controllers(
                        "min",
                        List.of(OF),
                        values -> Min.of(values.get(OF).get(0), values.get(OF).get(1))),
                new Signals("cpu"),
                new Signals("memory"));
    }

    static DocumentReader reader() {
        return new DocumentReader(Factories.of(all()));
    }
}
