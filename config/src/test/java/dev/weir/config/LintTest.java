package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LintTest {
    @TempDir
    Path folder;

    private Path limits;

    @BeforeEach
    void names() {
        limits = folder.resolve("limits.yaml");
    }

    private record Run(int code, String out, String err) {
        static Run of(String... arguments) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int code = Lint.run(
                    List.of(arguments),
                    new PrintStream(out, true, StandardCharsets.UTF_8),
                    new PrintStream(err, true, StandardCharsets.UTF_8));
            return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        }

        /** The lines without the folder of the file. */
        List<String> lines(Path folder) {
            return out.replace(folder + "/", "").lines().toList();
        }
    }

    /** The first example of docs/documents.md, with what it shows. */
    @Test
    void printsWhatALimitWouldDo() throws IOException {
        Matcher shown = Pattern.compile("\\$ ./weir lint limits.yaml\n(.*?)```.*?```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/documents.md")));
        assertTrue(shown.find());
        Files.writeString(limits, shown.group(2));
        assertEquals(new Run(0, shown.group(1), ""), Run.of(limits.toString()));
    }

    @Test
    void hintsAtTheNamesThatAStageNeeds() throws IOException {
        String hint =
                "limits.yaml: hint: is for a part of the instances; each of them needs a name that survives restarts: "
                        + "LimiterRegistry.Builder.instance";
        Files.writeString(limits, "document: { percent: 10 }\nlimits: {}\n");
        assertEquals(List.of(hint), Run.of(limits.toString()).lines(folder));
        Files.writeString(limits, "limits: { a: { rate: 1/s, rollout: { percent: 10, to: { rate: 2/s } } } }\n");
        assertEquals(hint, Run.of(limits.toString()).lines(folder).get(2));
        for (String all : List.of("0", "100")) {
            Files.writeString(limits, "document: { percent: " + all + " }\nlimits: {}\n");
            assertEquals(List.of(), Run.of(limits.toString()).lines(folder));
        }
    }

    @Test
    void hintsAtTasksThatAreRefusedOrFindNoThread() throws IOException {
        for (String[] limit : new String[][] {
            {"{ concurrency: 16, executor: { core: 16, max: 16, queue-capacity: 50 } }", "executor.queue-capacity"},
            {"{ concurrency: 16, queue: 50, executor: { core: 4, max: 16, queue-capacity: 50 } }", "executor.core"},
            {"{ all-of: [ { rate: 9/s }, { concurrency: 16 } ], queue: 50, executor: 4 }", "executor.max"}
        }) {
            Files.writeString(limits, "limits: { a: " + limit[0] + " }\n");
            List<String> lines = Run.of(limits.toString()).lines(folder);
            assertEquals(2, lines.size(), lines::toString);
            assertTrue(lines.get(1).startsWith("limits.yaml: hint: a: " + limit[1] + " "), lines::toString);
        }
        for (String right : List.of(
                "{ concurrency: 16, queue: 50, executor: { core: 4, max: 16, keep-alive: 20ms } }",
                "{ rate: 16/s, executor: { threads: 4, queue-capacity: 50 } }")) {
            Files.writeString(limits, "limits: { a: " + right + " }\n");
            assertEquals(1, Run.of(limits.toString()).lines(folder).size(), right);
        }
    }

    /** They may be secret. */
    @Test
    void printsNoValues() throws IOException {
        Files.writeString(limits, "{ limits: {}, values: { db.password: hunter2 } }");
        assertEquals(new Run(0, "values: db.password\n", ""), Run.of(limits.toString()));
    }

    @Test
    void yamlWithoutANewlineAtItsEndIsAProblem() throws IOException {
        Files.writeString(limits, "limits:\n  a: { concurrency: 40 }");
        assertEquals(
                List.of("limits.yaml: the document must end with a newline: it may be half of a document"),
                Run.of(limits.toString()).lines(folder));
        assertEquals(1, Run.of(limits.toString()).code());
    }

    @Test
    void theWorstFileDecides() throws IOException {
        Files.writeString(limits, "limits: { a: { concurrency: 1 } }\n");
        Path broken = folder.resolve("broken.yaml");
        Files.writeString(broken, "limits: [");
        Run run = Run.of(limits.toString(), broken.toString());
        assertEquals(1, run.code());
        assertEquals("a: concurrency 1", run.lines(folder).get(0));
        assertTrue(run.lines(folder).get(1).startsWith("broken.yaml:"), run.out());

        assertEquals(
                2,
                Run.of(limits.toString(), folder.resolve("none.yaml").toString())
                        .code());
    }

    @Test
    void aFileThatIsTooLargeIsAProblem() throws IOException {
        Files.write(limits, new byte[10_000_000]);
        Run run = Run.of(limits.toString());
        assertEquals(1, run.code());
        assertEquals(1, run.lines(folder).size());
        assertEquals(2, Run.of(folder.toString()).code());
    }

    @Test
    void saysHowItIsUsed() {
        assertEquals(2, Run.of().code());
        assertTrue(Run.of("--selae", "limits.yaml").err().startsWith("usage: "));
        assertTrue(Run.of("--schema").out().startsWith("{"));
    }
}
