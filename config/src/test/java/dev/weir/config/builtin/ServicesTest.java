package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.factory.ControllerFactory;
import dev.weir.config.factory.DisciplineFactory;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What module-info provides, {@code META-INF/services} provides on the class path. After a line is added to module-info, {@code
 * -Dweir.rewrite=true} writes the other.
 */
class ServicesTest {
    private static final Path FILES = Path.of("src/main/resources/META-INF/services");

    @ParameterizedTest
    @ValueSource(
            classes = {StrategyFactory.class, DisciplineFactory.class, ControllerFactory.class, SignalFactory.class})
    void areTheSameOnBothPaths(Class<?> service) throws IOException {
        Set<String> provided = new TreeSet<>();
        try (InputStream in = Files.newInputStream(Path.of("target/classes/module-info.class"))) {
            ModuleDescriptor.read(in).provides().stream()
                    .filter(provides -> provides.service().equals(service.getName()))
                    .forEach(provides -> provided.addAll(provides.providers()));
        }
        assertTrue(provided.size() >= 5, provided::toString);
        Path file = FILES.resolve(service.getName());
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.write(file, provided);
        }
        assertEquals(List.copyOf(provided), Files.readAllLines(file));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {StrategyFactory.class, DisciplineFactory.class, ControllerFactory.class, SignalFactory.class})
    void areWhollyDescribed(Class<? extends Factory<?>> service) {
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
