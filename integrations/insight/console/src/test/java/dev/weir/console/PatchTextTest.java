package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatchTextTest {
    @Test
    void pathsAreTheObjectThatTheyWere() {
        assertEquals(
                "{\"concurrency\": \"5\", \"queue\": {\"capacity\": null, \"max-wait\": \"1s\"}}",
                PatchText.json(Map.of("queue.max-wait", "1s", "concurrency", "5", "queue.capacity", "null")));
        assertEquals("{\"key\": [\"user\", \"ip\"]}", PatchText.json(Map.of("key[0]", "user", "key[1]", "ip")));
        assertEquals("{\"a\": {\"x.y]z\": \"1\"}}", PatchText.json(Map.of("a[x.y]]z]", "1")));
        assertEquals("{\"a\": {}, \"b\": []}", PatchText.json(Map.of("a", "{}", "b", "[]")));
    }

    /** What the registry tells of a patch makes the same patch. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "concurrency: 5",
                "{rate: 10/s, burst: 20, queue: {capacity: 5, max-wait: 200ms, discipline: lifo}}",
                "{rate: 10/s, key: [user, ip], max-keys: 100, key-missing: share}",
                "{all-of: [{concurrency: 3}, {rate: 100/min}], enforce: 0.5}",
                "{algorithm: partitioned, concurrency: 4, lent: 50%, percents: {'a.b': 50%, \"q\\\"x\": 10%}}"
            })
    void aPatchOfTheRegistryIsTheSameAgain(String patch) {
        try (LimiterRegistry registry = LimiterRegistry.builder().build()) {
            registry.limiter("one", new Semaphore(20));
            registry.override("one", patch, Duration.ofHours(1), "ann", "first");
            Map<String, String> first =
                    registry.limiter("one").status().override().patch();
            registry.override("one", PatchText.json(first), Duration.ofHours(1), "ann", "again");
            assertEquals(first, registry.limiter("one").status().override().patch());
        }
    }
}
