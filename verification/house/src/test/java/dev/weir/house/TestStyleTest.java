package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests are named in one style, and tagged by layer as docs/testing.md says. */
@Tag("house")
class TestStyleTest {
    private static final Pattern TEST =
            Pattern.compile("^ +@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b", Pattern.MULTILINE);
    private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)[(]");

    /** The ids of invariants first, if it holds some; then whether a broken twin must fail; then a sentence. */
    private static final Pattern NAME = Pattern.compile("(?:[A-Z][1-9][0-9]?_)*(?:brokenTwin_)?[a-z][a-zA-Z0-9]*");

    private static final Pattern TAG = Pattern.compile("@Tag[(]\"([\\w-]+)\"[)]");
    private static final Pattern SEEDED =
            Pattern.compile("\\b(?:Seed|Traffic|BUDGET|seconds[(][^)]*[)])\\s*[.]forAll[(]");
    private static final Pattern REPORT = Pattern.compile("\"src/test/resources/(?:\\w+[.]md|lint)\"");

    /** A test whose short form is longer than its smoke form. */
    private static final Pattern LONGER = Pattern.compile("\\bStress[.](?:seconds[(]|of[(]([^,()]+), (?!\\1,))");

    /** When and where a test runs, which its author decides; a test of a contract itself runs nightly in any case. */
    private static final Set<String> STATED = Set.of("nightly", "real-time", "newer");

    /** Also in the helpers of the tests of Redis. */
    private static final Pattern SERVER = Pattern.compile(
            "\\b(?:(?:Etcd|Prometheus|Postgres|MariaDb)Server|Redis(?:Server|Cluster|Sentinels))"
                    + "[.](?:started|scraping|inMemory|durable|withClock|withReplicas)[(]|new (?:Real|Virtual)Redis[(]|Database(?:[.]|::)(?:postgres|mariaDb)\\b");

    private static Map<Path, String> tests() throws IOException {
        Map<Path, String> tests = new TreeMap<>();
        for (Path module : Sources.modules()) {
            for (Path file : Sources.java(module, List.of("main", "test"))) {
                String text = Sources.text(file);
                if (TEST.matcher(text).find()) {
                    tests.put(file, text);
                }
            }
        }
        assertTrue(tests.size() > 150, tests.keySet()::toString);
        return tests;
    }

    /** Where the machine does not have the server, such a test is skipped. */
    @Test
    void aTestThatStartsAServerSaysThatItNeedsIt() throws IOException {
        List<String> silent = new ArrayList<>();
        int loud = 0;
        for (Path module : Sources.modules()) {
            for (Path file : Sources.java(module, List.of("test"))) {
                String text = Sources.text(file);
                if (Sources.name(file).endsWith("Test") && SERVER.matcher(text).find()) {
                    loud++;
                    if (!text.contains("@Needs(Server.")) {
                        silent.add(Sources.name(file));
                    }
                }
            }
        }
        assertEquals(List.of(), silent);
        assertTrue(loud > 25, "tests with a server: " + loud);
    }

    @Test
    void namesAreSentencesInCamelCase() throws IOException {
        List<String> others = new ArrayList<>();
        tests().forEach((file, text) -> METHOD.matcher(text)
                .results()
                .map(name -> name.group(1))
                .filter(name -> !NAME.matcher(name).matches())
                .forEach(name -> others.add(Sources.name(file) + "." + name)));
        assertEquals(List.of(), others);
    }

    @Test
    void classesAreTaggedByTheirLayers() throws IOException {
        List<String> wrong = new ArrayList<>();
        tests().forEach((file, text) -> {
            Set<String> tags = tags(text);
            Set<String> layers = layers(file, text, tags);
            if (!tags.equals(layers)) {
                wrong.add(Sources.name(file) + " is tagged " + tags + ", must be tagged " + layers);
            }
        });
        assertEquals(List.of(), wrong);
    }

    private static Set<String> tags(String text) {
        return TAG.matcher(text).results().map(tag -> tag.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** A subclass inherits the tag of its contract. What needs real time runs in all its forms in a lane of its own, so it is no proof. */
    private static Set<String> layers(Path file, String text, Set<String> tags) {
        Set<String> layers = new TreeSet<>();
        boolean proof = file.getParent().endsWith("lincheck")
                || LONGER.matcher(text).find()
                || tags.contains("proof") && text.contains("Stress.of(");
        if (Sources.name(file).endsWith("Contract")) {
            layers.add("contract");
        } else if (SEEDED.matcher(text).find()) {
            layers.add("property");
        }
        if (REPORT.matcher(text).find()) {
            layers.add("golden");
        }
        if (file.getParent().endsWith("house")) {
            layers.add("house");
        }
        if (proof && (tags.contains("proof") || !tags.contains("real-time"))) {
            layers.add("proof");
        }
        if (isOfAContract(Sources.name(file), text)) {
            layers.add("nightly");
        }
        STATED.stream().filter(tags::contains).forEach(layers::add);
        return layers;
    }

    /** It shows that a contract finds faults, and does not extend it. */
    private static boolean isOfAContract(String name, String text) {
        String contract = name.replaceFirst("Test$", "");
        return contract.endsWith("Contract")
                && !text.contains("class " + name + " extends ")
                && (text.contains("new " + contract + "() {") || text.contains(" extends " + contract + " {"));
    }
}
