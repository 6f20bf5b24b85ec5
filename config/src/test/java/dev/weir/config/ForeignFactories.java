package dev.weir.config;

import dev.weir.adaptive.Signal;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.spi.StrategySpec;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Factories as users write them. */
final class ForeignFactories {
    static final Field<Long> SIZE = Field.count("size").needed();

    private ForeignFactories() {}

    /** An algorithm with the field {@code size}. */
    record Algorithm(String name, Function<Long, StrategySpec> creation) implements StrategyFactory {
        @Override
        public String description() {
            return name;
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(SIZE);
        }

        @Override
        public StrategySpec create(Values values) {
            return creation.apply(values.get(SIZE));
        }
    }

    /** A signal without fields. */
    record Sensor(String name, Supplier<Signal> creation) implements SignalFactory {
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
            return creation.get();
        }
    }
}
