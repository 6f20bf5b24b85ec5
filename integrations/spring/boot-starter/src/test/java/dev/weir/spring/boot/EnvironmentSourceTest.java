package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.LimitsDocument;
import dev.weir.named.plan.Problem;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;

/** Properties of files, variables and command lines, as one document with places. */
final class EnvironmentSourceTest {
    @TempDir
    Path folder;

    private final StandardEnvironment environment = new StandardEnvironment();
    private final EnvironmentSource source = EnvironmentSource.of(environment);

    EnvironmentSourceTest() {
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    @Test
    void aProblemNamesTheLineAndColumnOfTheValue() throws Exception {
        yaml("""
                spring:
                  application:
                    name: shop
                weir:
                  limits:
                    checkout:
                      algorithm: semaphore
                      concurrency:      0
                """);

        assertEquals(
                List.of("application.yml:8:25: checkout: concurrency must be >= 1 and <= 2147483647, was 0"),
                problems());
    }

    @Test
    void aNumberIsReadAsItIsWrittenAndNotAsYamlReadsIt() throws Exception {
        yaml("""
                weir:
                  values:
                    octal: 010
                    minutes: 1:30
                    grouped: 1_000
                    share: 0.10
                    flag: off
                    word: NO
                    quoted: "010"
                    big: 0x1F
                """);

        assertEquals(
                Map.of(
                        "octal", "010",
                        "minutes", "1:30",
                        "grouped", "1_000",
                        "share", "0.10",
                        "flag", "off",
                        "word", "NO",
                        "quoted", "010",
                        "big", "0x1F"),
                document().values());
    }

    @Test
    void aBurstThatStartsWithZeroIsNotOctal() throws Exception {
        yaml("""
                weir:
                  limits:
                    mail: { rate: 5/s, burst: 010 }
                """);

        assertEquals(
                List.of("application.yml:3:31: mail: burst must be a number without zeros before it, was 010"),
                problems());
    }

    @Test
    void aNumberWhoseFileHasChangedIsRefusedUnlessItWasReadBefore() throws Exception {
        yaml("weir.limits.mail: { rate: 5/s, burst: 20 }\n");
        assertEquals("20", document().limits().get("mail").settings().get("burst"));
        Files.writeString(folder.resolve("application.yml"), "# another line\nweir.limits.mail: { burst: 7 }\n");

        assertEquals("20", document().limits().get("mail").settings().get("burst"));
        List<Problem> fresh = problems(EnvironmentSource.of(environment));
        assertTrue(
                fresh.toString().contains("application.yml:1:39: weir.limits.mail.burst must be in quotes"),
                fresh::toString);
    }

    @Test
    void aNameThatYamlReadsAsAnotherValueIsRefused() throws Exception {
        yaml("""
                weir:
                  limits:
                    no: { rate: 5/s }
                    007: { rate: 6/s }
                """);

        String problems = String.join("\n", problems());
        assertTrue(
                problems.contains("application.yml:3:17: weir.limits.false.rate must have its name in quotes"),
                problems);
        assertTrue(
                problems.contains("application.yml:4:18: weir.limits[7].rate must have its name in quotes"), problems);
    }

    @Test
    void aNameInQuotesMayBeDigitsOrAWordOfYaml() throws Exception {
        yaml("""
                weir:
                  limits:
                    "no": { rate: 5/s }
                    "42": { rate: 6/s }
                """);

        assertEquals(Set.of("no", "42"), document().limits().keySet());
    }

    @Test
    void aNameWithADotIsInBracketsAndAProblemSaysSo() throws Exception {
        yaml("""
                weir:
                  limits:
                    "[shop.web]": { rate: 5/s }
                    shop.app: { rate: 6/s }
                """);

        assertTrue(
                problems()
                        .contains(
                                "application.yml:4:23: shop: app is not known; a name with a dot is written \"[shop.app]\""),
                () -> problems().toString());
        assertEquals(Set.of("shop.web"), reading(source).limits().keySet());
    }

    @Test
    void listsAreListsAndAnEmptyOneIsEmpty() throws Exception {
        yaml("""
                weir:
                  removed: []
                  limits:
                    both:
                      all-of:
                        - rate: 5/s
                        - concurrency: 3
                """);

        assertEquals(Set.of(), document().removed());
        assertEquals("3", document().limits().get("both").settings().get("all-of[1].concurrency"));
    }

    @Test
    void aListComesWholeFromTheFirstSourceThatHasIt() throws Exception {
        yaml("""
                weir:
                  removed: [a, b, c]
                """);
        first("commandLineArgs", Map.of("weir.removed[0]", "x", "weir.removed[1]", "y"));

        assertEquals(Set.of("x", "y"), document().removed());
    }

    @Test
    void oneTextIsAListOfItsPartsWhereNamesAreRemoved() throws Exception {
        yaml("weir.removed: [a, b, c]\n");
        variables(Map.of("WEIR_REMOVED", "x, y"));

        assertEquals(Set.of("x", "y"), document().removed());
    }

    @Test
    void aVariableChangesTheLimitOfAnotherSource() throws Exception {
        checkOut();
        variables(Map.of("WEIR_LIMITS_CHECKOUT_CONCURRENCY", "7", "WEIR_LIMITS_CHECKOUT_QUEUE_MAXWAIT", "2s"));

        assertEquals(
                new TreeMap<>(Map.of("concurrency", "7", "queue.capacity", "50", "queue.max-wait", "2s")),
                new TreeMap<>(document().limits().get("check-out").settings()));
        assertEquals(Set.of("check-out"), document().limits().keySet());
    }

    @Test
    void aProblemOfAVariableNamesIt() throws Exception {
        checkOut();
        variables(Map.of("WEIR_LIMITS_CHECKOUT_CONCURRENCY", "-7"));

        assertEquals(
                List.of(
                        "variable WEIR_LIMITS_CHECKOUT_CONCURRENCY: check-out: concurrency must be >= 1 and <= 2147483647, was -7"),
                problems());
    }

    @Test
    void aFieldOfAVariableHasNoUnderscore() throws Exception {
        checkOut();
        variables(Map.of("WEIR_LIMITS_CHECKOUT_QUEUE_MAX_WAIT", "2s"));

        assertEquals(
                List.of("variable WEIR_LIMITS_CHECKOUT_QUEUE_MAX_WAIT: check-out: queue.max is not known; "
                        + "did you mean max-wait, in a variable MAXWAIT?"),
                problems());
    }

    @Test
    void aNameOfAVariableHasNoUnderscore() throws Exception {
        checkOut();
        variables(Map.of("WEIR_LIMITS_CHECK_OUT_CONCURRENCY", "7"));

        assertEquals(
                List.of("variable WEIR_LIMITS_CHECK_OUT_CONCURRENCY: WEIR_LIMITS_CHECK_OUT_CONCURRENCY must not have _ "
                        + "in the name check-out; did you mean WEIR_LIMITS_CHECKOUT_CONCURRENCY?"),
                problems());
    }

    @Test
    void aVariableMakesNoLimit() throws Exception {
        checkOut();
        variables(Map.of("WEIR_LIMITS_CHECKOT_CONCURRENCY", "7"));

        assertEquals(
                List.of(
                        "variable WEIR_LIMITS_CHECKOT_CONCURRENCY: WEIR_LIMITS_CHECKOT_CONCURRENCY must name what another "
                                + "source of properties has: it has no CHECKOT; did you mean CHECKOUT?"),
                problems());
    }

    @Test
    void twoSpellingsOfOneNameAreRefused() throws Exception {
        yaml("""
                weir:
                  limits:
                    check-out: { concurrency: 5 }
                    checkOut: { concurrency: 6 }
                """);

        assertEquals(
                List.of("application.yml:3:31: weir.limits must not have both check-out (application.yml:3:31) and "
                        + "checkOut (application.yml:4:30), which are one name for Spring"),
                problems());
    }

    @Test
    void spellingsOfAFieldAreOneField() throws Exception {
        checkOut();
        first("commandLineArgs", Map.of("weir.limits.check-out.queue.maxWait", "9s"));

        assertEquals("9s", document().limits().get("check-out").settings().get("queue.max-wait"));
    }

    @Test
    void aTextOverAMapIsRefused() throws Exception {
        checkOut();
        first("commandLineArgs", Map.of("weir.limits.check-out.queue", "9"));

        assertEquals(1, problems().size());
        assertTrue(problems().get(0).contains("weir.limits.check-out.queue must not be a map and something else"));
    }

    @Test
    void anUnknownWordIsRefusedWithTheNearest() throws Exception {
        yaml("weir.limit.checkout.concurrency: 5\n");

        assertEquals(List.of("application.yml:1:34: weir.limit is not known; did you mean limits?"), problems());
    }

    @Test
    void aVariableOfOthersIsNotOurs() throws Exception {
        variables(Map.of("WEIR_PORT_80_TCP_ADDR", "10.0.0.1", "WEIR_SERVICE_HOST", "10.0.0.1", "WEIRD", "1"));
        assertEquals(List.of(), problems());

        variables(Map.of("WEIR_LIMIT_CHECKOUT_RATE", "1/s"));
        assertEquals(
                List.of("variable WEIR_LIMIT_CHECKOUT_RATE: weir.limit is not known; did you mean limits?"),
                problems());
    }

    @Test
    void placeholdersAreResolvedOrRefused() throws Exception {
        yaml("""
                most: 12
                weir:
                  limits:
                    mail: { concurrency: "${most}" }
                """);
        assertEquals("12", document().limits().get("mail").settings().get("concurrency"));

        first("commandLineArgs", Map.of("weir.limits.mail.concurrency", "${absent}"));
        assertEquals(
                List.of(
                        "commandLineArgs weir.limits.mail.concurrency: weir.limits.mail.concurrency must have placeholders "
                                + "that can be resolved"),
                problems());
    }

    @Test
    void anEnvironmentWithoutLimitsIsAnEmptyDocument() throws Exception {
        assertEquals(Set.of(), document().limits().keySet());
    }

    @Test
    void aFieldWithoutAValueIsRefused() throws Exception {
        yaml("""
                weir:
                  limits:
                    mail: { rate: 5/s, burst: }
                """);

        assertTrue(
                problems().get(0).contains("weir.limits.mail.burst must have a value"),
                () -> problems().toString());
    }

    private void checkOut() throws IOException {
        yaml("""
                weir:
                  limits:
                    check-out:
                      concurrency: 5
                      queue: { capacity: 50, max-wait: 1s }
                """);
    }

    private void yaml(String text) throws IOException {
        Files.writeString(folder.resolve("application.yml"), text);
        ClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null);
        new YamlPropertySourceLoader()
                .load("yaml", new ClassPathResource("application.yml", loader))
                .forEach(environment.getPropertySources()::addLast);
    }

    private void first(String name, Map<String, Object> properties) {
        environment.getPropertySources().addFirst(new MapPropertySource(name, properties));
    }

    private void variables(Map<String, Object> variables) {
        environment.getPropertySources().addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables));
    }

    private LimitsDocument document() {
        LimitsDocument read = reading(source);
        assertEquals(List.of(), read.problems());
        return read;
    }

    private static LimitsDocument reading(EnvironmentSource from) {
        try {
            return DocumentReader.system().read(from.name(), from.read().tree().orElseThrow(), limiter -> 100);
        } catch (DocumentException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> problems() {
        return problems(source).stream().map(Problem::toString).collect(Collectors.toList());
    }

    private static List<Problem> problems(EnvironmentSource from) {
        try {
            return DocumentReader.system()
                    .read(from.name(), from.read().tree().orElseThrow(), limiter -> 100)
                    .problems();
        } catch (DocumentException e) {
            return e.problems();
        }
    }
}
