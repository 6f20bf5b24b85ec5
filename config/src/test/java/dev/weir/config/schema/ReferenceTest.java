package dev.weir.config.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.builtin.Factories;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.factory.Factory;
import dev.weir.spi.StrategySpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lists of fields and the examples of {@code docs/documents.md}; {@code -Dweir.rewrite=true} writes the lists again. */
class ReferenceTest {
    private static final Path DOCUMENT = Path.of("../docs/documents.md");
    private static final Pattern LIST = Pattern.compile("(?m)^<!-- fields: (.+) -->\n((?: *- .*\n)*)");

    @Test
    void theBuildWritesTheSchema(@TempDir Path folder) throws Exception {
        Path schema = folder.resolve("META-INF/limits.schema.json");
        Reference.main(schema.toString());
        assertEquals(Schema.text(), Files.readString(schema));
    }

    @Test
    void thePageHasEachListAsItIs() throws Exception {
        Map<String, List<String>> lists = Reference.lists(Factories.loaded());
        String page = Files.readString(DOCUMENT);
        Set<String> shown = LIST.matcher(page)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(lists.keySet()), shown);
        String current = LIST.matcher(page).replaceAll(found -> {
            String entries = String.join("\n", lists.get(found.group(1)));
            return Matcher.quoteReplacement("<!-- fields: " + found.group(1) + " -->\n" + entries + "\n");
        });
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(DOCUMENT, current);
        } else {
            assertEquals(current, page);
        }
    }

    @Test
    void aListSaysWhatEachFactoryAndItsFieldsAre() {
        Factories known = Factories.loaded();
        String algorithms = String.join("\n", Reference.lists(known).get("algorithms"));
        for (Factory<?> factory : known.all(StrategySpec.class).values()) {
            assertTrue(algorithms.contains("- `" + factory.name() + "`: " + factory.description()), factory.name());
        }
        assertTrue(algorithms.contains("  - `blocks`: integer, 1 to 10000, `10`. "), algorithms);
    }

    /** In YAML, each block of a page with {@code limits} is a whole document. */
    @Test
    void pagesHaveExamplesThatAreRight() throws Exception {
        List<String> examples = new ArrayList<>();
        try (Stream<Path> files = Files.walk(DOCUMENT.getParent())) {
            for (Path page : files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("node_modules"))
                    .toList()) {
                Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(page))
                        .results()
                        .map(found -> found.group(1))
                        .filter(block -> page.equals(DOCUMENT) || ("\n" + block).contains("\nlimits:"))
                        .forEach(examples::add);
            }
        }
        assertTrue(examples.size() >= 14, examples::toString);
        for (String example : examples) {
            byte[] content = example.getBytes(StandardCharsets.UTF_8);
            LimitsDocument read = DocumentReader.system().read("example", content, Format.YAML);
            assertEquals(List.of(), read.problems());
            assertEquals(List.of(), SchemaTest.errors(example));
        }
    }
}
