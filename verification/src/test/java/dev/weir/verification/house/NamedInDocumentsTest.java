package dev.weir.verification.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.signal.Signals;
import dev.weir.config.factory.Factory;
import dev.weir.config.factory.SignalFactory;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.StrategySpec;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each algorithm, discipline, controller and signal of the lists in {@code verification/api} can be named in a document. */
@Tag("house")
class NamedInDocumentsTest {
    private static final Pattern TYPE = Pattern.compile("(\\S+) = public .*(?:record|class) : .*");

    /** Those that have no name of their own, because they are fields of every limit: all-of, key and warm-up. */
    private static final Set<String> FIELDS =
            Set.of("dev.weir.algorithms.AllOf", "dev.weir.keyed.Keyed", "dev.weir.algorithms.WarmUp");

    /** Leaves the limit as it is; code reads what it suggests. */
    private static final Set<String> NO_LIMITS = Set.of("dev.weir.adaptive.LimitAdvice");

    @ParameterizedTest
    @ValueSource(classes = {StrategySpec.class, DisciplineSpec.class, Controller.class})
    void hasAFactory(Class<?> kind) throws IOException {
        Set<String> offered = offered(kind);
        assertTrue(offered.size() >= 7, offered::toString);
        Set<String> fields = new TreeSet<>(offered);
        fields.retainAll(FIELDS);
        assertEquals(Set.of(), without(fields, usedIn("dev/weir/config/document")));
        offered.removeAll(FIELDS);
        offered.removeAll(NO_LIMITS);
        offered.removeIf(NamedInDocumentsTest::hasItsOwn);
        assertEquals(Set.of(), without(offered, usedIn("dev/weir/config/builtin")));
    }

    /** All that need no argument; {@code lag} needs the executor that it watches, so code adds it. */
    @Test
    void eachSignalOfTheProcessHasAFactory() {
        Set<String> offered = Arrays.stream(Signals.class.getMethods())
                .filter(method -> Modifier.isStatic(method.getModifiers())
                        && method.getReturnType() == Signal.class
                        && method.getParameterCount() == 0)
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(offered.contains("cpu"), offered::toString);
        Set<String> named = ServiceLoader.load(SignalFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .map(Factory::name)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(offered, named);
    }

    /** Beside it, in an integration. */
    private static boolean hasItsOwn(String spec) {
        return ServiceLoader.load(StrategyFactory.class).stream()
                .anyMatch(factory -> factory.type().getName().equals(spec + "Factory"));
    }

    private static Set<String> without(Set<String> these, Set<String> those) {
        Set<String> rest = new TreeSet<>(these);
        rest.removeAll(those);
        return rest;
    }

    private static Set<String> offered(Class<?> kind) throws IOException {
        Set<String> offered = new TreeSet<>();
        for (Path list : Products.files(Path.of("api"), ".txt")) {
            for (String line : Files.readAllLines(list)) {
                Matcher type = TYPE.matcher(line);
                if (type.matches() && kind.isAssignableFrom(loaded(type.group(1)))) {
                    offered.add(type.group(1));
                }
            }
        }
        return offered;
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name, false, NamedInDocumentsTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Set<String> usedIn(String folder) {
        return new ClassFileImporter()
                .importPath(Path.of("..", "config", "target", "classes").resolve(folder)).stream()
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .map(Dependency::getTargetClass)
                        .map(target -> target.getFullName())
                        .collect(Collectors.toSet());
    }
}
