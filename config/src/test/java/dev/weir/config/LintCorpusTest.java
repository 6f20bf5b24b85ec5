package dev.weir.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What lint says of 70 documents, byte for byte; {@code -Dweir.rewrite=true} writes it. */
@Tag("golden")
class LintCorpusTest {
    private static final Path RESOURCES = Path.of("src/test/resources/lint");

    static List<String> documents() throws IOException {
        try (Stream<Path> files = Files.list(RESOURCES)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".txt"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void saysTheSameOnEachRun(String name) throws IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, UTF_8);
        int code = Lint.run(List.of(RESOURCES.resolve(name).toString()), out, out);
        out.print("exit code " + code + "\n");
        String said = printed.toString(UTF_8).replace(RESOURCES + "/", "");
        Path expected = RESOURCES.resolve(name + ".txt");
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.writeString(expected, said);
        }
        assertEquals(Files.readString(expected), said);
        assertEquals(name.startsWith("right"), code == 0, said);
    }

    @Test
    void hasSeventyDocumentsAndNoOtherReport() throws IOException {
        List<String> names = documents();
        assertTrue(names.size() >= 70, () -> names.size() + " documents");
        try (Stream<Path> files = Files.list(RESOURCES)) {
            assertEquals(2 * names.size(), files.count());
        }
    }

    /** Each is a line that a stranger can act on. */
    @Test
    void tenMistakesAreTenLines() throws IOException {
        assertEquals(
                11,
                Files.readAllLines(RESOURCES.resolve("ten-mistakes.yaml.txt")).size());
    }
}
