package dev.weir.config.schema;

import dev.weir.config.builtin.OwnFactories;
import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** All factories, in order of their names. */
public record Catalog(
        List<StrategyFactory> strategies,
        List<DisciplineFactory> disciplines,
        List<ControllerFactory> controllers,
        List<SignalFactory> signals) {

    /** Those that the class loader of this thread finds. */
    public static Catalog system() {
        return new Catalog(
                sorted(StrategyFactory.class, ServiceLoader.load(StrategyFactory.class)),
                sorted(DisciplineFactory.class, ServiceLoader.load(DisciplineFactory.class)),
                sorted(ControllerFactory.class, ServiceLoader.load(ControllerFactory.class)),
                sorted(SignalFactory.class, ServiceLoader.load(SignalFactory.class)));
    }

    private static <F extends Factory<?>> List<F> sorted(Class<F> type, ServiceLoader<F> services) {
        return Stream.concat(OwnFactories.of(type).stream(), services.stream().map(ServiceLoader.Provider::get))
                .sorted(Comparator.comparing(Factory::name))
                .toList();
    }
}
