package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.DocumentTree;
import dev.weir.config.document.DocumentTree.Located;
import dev.weir.config.source.Reading;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A source whose documents are trees. */
class RegistryTreeTest extends RegistryFixture {
    private static DocumentTree tree(Object limit, int concurrency, String... moreKeys) {
        Map<String, Object> limits = new LinkedHashMap<>();
        limits.put("b", limit);
        for (String key : moreKeys) {
            limits.put(key, Map.of("concurrency", 1));
        }
        limits.put(
                "a", new Located(Map.of("CONCURRENCY", concurrency, "maxKeys", 5, "key", "user"), "application.yml:3"));
        return DocumentTree.of(Map.of("limits", limits));
    }

    private void put(DocumentTree tree) {
        source.put(Reading.of(tree));
        time.advance(Duration.ofSeconds(2));
    }

    private int limit(LimiterRegistry registry) {
        return (int) registry.limiter("b").snapshot().limit();
    }

    @Test
    void problemsShowOriginsAndEqualTreesChangeNothing() {
        put(tree(Map.of("concurrency", 3), 0));
        try (LimiterRegistry registry = builder().build()) {
            assertEquals(
                    List.of("application.yml:3: a: concurrency must be >= 1 and <= 2147483647, was 0"),
                    changed().problems().stream().map(Object::toString).toList());
            assertEquals(3, limit(registry));
            put(tree(Map.of("concurrency", 4), 1, "c", "d"));
            assertEquals(List.of(), changed().problems());
            assertEquals(4, limit(registry));
            int told = events.size();
            put(tree(new Located(Map.of("concurrency", "4"), "elsewhere"), 1, "d", "c"));
            assertEquals(told, events.size());
        }
    }

    @Test
    void aTreeThatIsNoneIsRefusedAndTheSourceStaysUp() {
        put(tree(Map.of("concurrency", 3), 1));
        try (LimiterRegistry registry = builder().build()) {
            put(tree(new Located(new Object(), "here"), 1));
            assertEquals(
                    "here: must have maps, lists, texts, numbers and booleans only, not java.lang.Object",
                    refused().problems().get(0).toString());
            assertEquals(3, limit(registry));
            assertTrue(registry.status().up());
        }
    }

    @Test
    void theLastGoodTreeIsKept(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        put(tree(Map.of("concurrency", 3, "queue", Map.of("capacity", 4, "maxWait", "5s")), 7));
        builder().lastGood(file).build().close();
        source.goAway();
        try (LimiterRegistry registry = builder().lastGood(file).build()) {
            assertEquals(3, limit(registry));
            assertEquals(List.of("a", "b"), registry.names().names());
            source.comeBack();
            time.advance(Duration.ofSeconds(20));
            int told = events.size();
            put(tree(Map.of("queue", Map.of("maxWait", "5s", "capacity", 4), "concurrency", 3), 7));
            assertEquals(told, events.size());
        }
    }

    @Test
    void theSizeOfADocumentIsASetting() {
        String large = IntStream.range(0, 12_000)
                .mapToObj(i -> "  limit-with-a-long-name-" + i
                        + ": { concurrency: 1, enforce: 1, queue: { capacity: 100000 } }\n")
                .collect(Collectors.joining("", "limits:\n", ""));
        source.write(large);
        try (LimiterRegistry registry = builder().build()) {
            assertEquals(List.of(), registry.names().names());
            assertEquals(
                    "memory: must have at most 1048576 bytes, was " + large.length(),
                    refused().problems().get(0).toString());
        }
        try (LimiterRegistry registry = builder().maxDocument(2 << 20, 200_000).build()) {
            assertEquals(List.of(), changed().problems());
            assertEquals(12_000, registry.names().names().size());
        }
    }
}
