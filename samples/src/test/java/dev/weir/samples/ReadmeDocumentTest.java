package dev.weir.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.Caps;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.config.value.ConfigValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The document and the code of the section "Named limits" of the README. */
class ReadmeDocumentTest {
    private static String block(String language) throws IOException {
        String readme = Files.readString(Path.of("../README.md"));
        String section = readme.substring(readme.indexOf("## Named limits"));
        int start = section.indexOf("```" + language + "\n") + language.length() + 4;
        return section.substring(start, section.indexOf("```\n", start));
    }

    @Test
    void theDocumentAndTheCodeWorkTogether(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("limits.yaml"), block("yaml"));
        Map<String, String> request = Map.of("user", "ann", "ip", "10.0.0.1");
        // region
        LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file));
        Limiter checkout =
                limits.limiter("checkout", new Semaphore(20), Caps.concurrency(500)); // a default and a cap, if wanted
        checkout.run(() -> System.out.println("sold"), refused -> System.out.println("busy: " + refused.reason()));

        Limiter search = limits.limiter("search");
        Decision decision =
                search.tryAcquire(limits.request("search", request::get)); // "user" and "ip" of this request

        ConfigValue<Duration> timeout = limits.values().value("mail.timeout", Duration.class, Duration.ofSeconds(1));
        // end of region
        try (limits) {
            assertEquals(40, limits.limiter("checkout").snapshot().limit());
            assertInstanceOf(Permit.class, decision);
            assertEquals(Duration.ofSeconds(2), timeout.get());
        }
    }

    @Test
    void theCodeIsThatOfThisTest() throws IOException {
        String test = Files.readString(Path.of("src/test/java/dev/weir/samples/ReadmeDocumentTest.java"));
        String region = test.substring(test.indexOf("// region\n") + 10, test.indexOf("        // end of region\n"));
        assertEquals(withoutLayout(region), withoutLayout(block("java")));
        assertTrue(block("java").lines().count() <= 10);
    }

    /** Lines are broken by the formatter. */
    private static String withoutLayout(String code) {
        return code.replaceAll("\\s+", "");
    }
}
