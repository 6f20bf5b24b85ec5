package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.source.FileSource;
import dev.weir.named.NamedLimiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in the Javadoc of the registry: it runs, and is the same as here. */
class ExamplesTest {
    private final List<String> done = new ArrayList<>();

    @Test
    void limiterRegistry(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("limits.yaml");
        Files.writeString(file, "limits: { checkout: { concurrency: 1 } }\n");
        // region LimiterRegistry
        LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file));
        NamedLimiter checkout = limits.limiter("checkout", new Semaphore(20));
        checkout.run(() -> sell());
        // end
        assertEquals(List.of("sold"), done);
        assertEquals(1, limits.limiter("checkout").snapshot().limit());
        limits.close();
    }

    private void sell() {
        done.add("sold");
    }

    @Test
    void theJavadocHasTheSameCode() throws IOException {
        Path here = Path.of("src/test/java/dev/weir/config/ExamplesTest.java");
        String region = between(Files.readString(here), "// region LimiterRegistry\n", "// end");
        String javadoc = Files.readString(Path.of("src/main/java/dev/weir/config/LimiterRegistry.java"));
        String example = between(javadoc, "<pre>{@code\n", "}</pre>").replaceAll("(?m)^ \\*", "");
        assertEquals(region.strip().replaceAll("(?m)^ +", ""), example.strip().replaceAll("(?m)^ +", ""));
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start) + start.length();
        return text.substring(from, text.indexOf(end, from));
    }
}
