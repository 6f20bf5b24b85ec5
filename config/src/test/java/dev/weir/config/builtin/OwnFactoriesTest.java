package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnFactoriesTest {
    private static final Path CLASSES = Path.of("target/classes");

    /** Its annotation is missing, if one is not. */
    @ParameterizedTest
    @ValueSource(
            classes = {StrategyFactory.class, DisciplineFactory.class, ControllerFactory.class, SignalFactory.class})
    void eachFactoryOfThePackageIsFoundOnTheClassPath(Class<? extends Factory<?>> service) throws Exception {
        Set<String> written = written(service);
        assertTrue(written.size() >= 5, written::toString);
        assertEquals(List.of(), OwnFactories.of(service));
        assertEquals(written, names(ServiceLoader.load(service)));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {StrategyFactory.class, DisciplineFactory.class, ControllerFactory.class, SignalFactory.class})
    void eachFactoryOfThePackageIsFoundOnTheModulePath(Class<? extends Factory<?>> service) throws Exception {
        Path[] path = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(Files::exists)
                .toArray(Path[]::new);
        Configuration modules = ModuleLayer.boot()
                .configuration()
                .resolve(ModuleFinder.of(path), ModuleFinder.of(), Set.of("dev.weir.config"));
        ModuleLayer.Controller controller = ModuleLayer.defineModulesWithOneLoader(
                modules, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader());
        Module module = controller.layer().findModule("dev.weir.config").orElseThrow();
        controller.addExports(
                module, OwnFactories.class.getPackageName(), getClass().getModule());
        ClassLoader loader = module.getClassLoader();
        Class<?> own = Class.forName(module, OwnFactories.class.getName());
        Object found = own.getMethod("of", Class.class).invoke(null, loader.loadClass(service.getName()));
        assertEquals(written(service), names((Collection<?>) found));
    }

    private static Set<String> written(Class<?> service) throws IOException {
        try (Stream<Path> files = Files.walk(CLASSES.resolve("dev/weir/config/builtin"))) {
            return files.map(file -> CLASSES.relativize(file).toString().replace(File.separatorChar, '.'))
                    .filter(file -> file.endsWith("Factory.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .filter(name -> service.isAssignableFrom(loaded(name)))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Set<String> names(Iterable<?> factories) {
        Set<String> names = new TreeSet<>();
        factories.forEach(factory -> names.add(factory.getClass().getName()));
        return names;
    }

    @ParameterizedTest
    @ValueSource(
            classes = {StrategyFactory.class, DisciplineFactory.class, ControllerFactory.class, SignalFactory.class})
    void eachIsWhollyDescribed(Class<? extends Factory<?>> service) {
        Set<String> names = new HashSet<>();
        for (Factory<?> factory : ServiceLoader.load(service)) {
            assertTrue(names.add(factory.name()), factory.name());
            isDescribed(factory.name(), factory.description());
            Set<String> fields = new HashSet<>();
            for (Field<?> field : factory.fields()) {
                assertTrue(fields.add(field.name()), field.name());
                isDescribed(field.name(), field.description());
                assertTrue(field.fallback() == null || !field.required(), field.name());
            }
        }
    }

    private static void isDescribed(String name, String description) {
        assertTrue(name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*"), name);
        assertTrue(description.matches("\\S.{10,}\\."), () -> name + ": " + description);
    }

    /** The amount tells the default algorithm, which therefore begins with it. */
    @ParameterizedTest
    @CsvSource({"semaphore, concurrency", "token-bucket, rate"})
    void defaultsBeginWithTheAmount(String name, String amount) {
        StrategyFactory factory = ServiceLoader.load(StrategyFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals(name))
                .findAny()
                .orElseThrow();
        assertEquals(amount, factory.fields().get(0).name());
    }
}
