package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names of Weir, and those that class loaders find. */
class NamesTest {
    /** As a user writes it. */
    public static final class Own implements StrategyFactory {
        @Override
        public String name() {
            return "own";
        }

        @Override
        public String description() {
            return "A limit of 3.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of();
        }

        @Override
        public StrategySpec create(Values values) {
            return new Semaphore(3);
        }
    }

    @Test
    void aNameOfAUserIsOneClassAndOneLine(@TempDir Path folder) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(StrategyFactory.class.getName()), Own.class.getName());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            byte[] document = "{\"limits\": {\"a\": {\"algorithm\": \"own\"}, \"b\": {\"concurrency\": 1}}}".getBytes();
            assertEquals(
                    List.of(new Semaphore(3), new Semaphore(1)),
                    DocumentReader.system().read("d", document, Format.JSON).limits().values().stream()
                            .map(plan -> plan.spec())
                            .toList());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void thoseOfWeirAreFoundOnTheModulePath() throws Exception {
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
                module, Factories.class.getPackageName(), getClass().getModule());
        Class<?> factories = Class.forName(module, Factories.class.getName());
        Class<?> spec = module.getClassLoader().loadClass(StrategySpec.class.getName());
        Object found = factories
                .getMethod("all", Class.class)
                .invoke(factories.getMethod("loaded").invoke(null), spec);
        assertEquals(
                Factories.loaded().all(StrategySpec.class).keySet(),
                assertInstanceOf(Map.class, found).keySet());
    }

    @ParameterizedTest
    @ValueSource(classes = {StrategySpec.class, DisciplineSpec.class, Controller.class, Signal.class})
    void eachIsWhollyDescribed(Class<?> created) {
        Map<String, Factory<?>> all = Factories.loaded().all(created);
        assertTrue(all.size() >= 5, all::toString);
        all.values().forEach(factory -> {
            isDescribed(factory.name(), factory.description());
            Set<String> fields = new HashSet<>();
            for (Field<?> field : factory.fields()) {
                assertTrue(fields.add(field.name()), field.name());
                isDescribed(field.name(), field.description());
                assertTrue(field.fallback() == null || !field.required(), field.name());
            }
        });
    }

    private static void isDescribed(String name, String description) {
        assertTrue(name.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*"), name);
        assertTrue(description.matches("\\S.{10,}\\."), () -> name + ": " + description);
    }

    /** The amount tells the default algorithm, which therefore begins with it. */
    @ParameterizedTest
    @CsvSource({"semaphore, concurrency", "token-bucket, rate"})
    void defaultsBeginWithTheAmount(String name, String amount) {
        Factory<?> factory = Factories.loaded().find(StrategySpec.class, name).orElseThrow();
        assertEquals(amount, factory.fields().get(0).name());
    }
}
