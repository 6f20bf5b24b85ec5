package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.named.NamedLimiter;
import dev.weir.named.backend.NameTable;
import dev.weir.named.backend.NameTable.Plans;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent.Changed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What code declares comes before what a document says. */
class RegistryCapsTest extends RegistryFixture {
    @Test
    void capsHoldAlsoIfTheyAreDeclaredWhileADocumentIsApplied() throws Exception {
        LimiterRegistry registry = builder().build();
        NameTable table = registry.names().table();
        LimitsDocument read = DocumentReader.system()
                .read("d", "limits: { a: { concurrency: 50 } }".getBytes(StandardCharsets.UTF_8), Format.YAML);
        Plans document = new Plans("1", "", "", read.limits(), read.removed(), read.faulty());
        List<Problem> problems = new ArrayList<>();
        var plans = table.buildable("d", document, problems);
        NamedLimiter limiter = registry.names().limiter("a", new Semaphore(3), Caps.concurrency(10));
        table.apply("d", plans, document, problems);
        assertEquals(3, granted(limiter));
        assertEquals(1, problems.size());
    }

    @Test
    void higherCapsLetTheDocumentInForce() {
        source.write("limits: { a: { concurrency: 50 } }");
        LimiterRegistry registry = builder().build();
        NamedLimiter limiter = registry.names().limiter("a", new Semaphore(3), Caps.concurrency(10));
        assertEquals(3, granted(limiter));
        registry.names().limiter("a", new Semaphore(3), Caps.concurrency(60));
        assertEquals(50, granted(limiter));
        registry.names().limiter("a", new Semaphore(3), Caps.concurrency(10));
        assertEquals(3, granted(limiter));
        write("limits: { a: { concurrency: 50, queue: 3 } }");
        assertEquals(3, granted(limiter));
        registry.names().limiter("a", new Semaphore(3), Caps.concurrency(100));
        write("limits: { a: { concurrency: 51, queue: 3 } }");
        assertEquals(51, granted(limiter));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ rate: 5/s, adaptive: { max: 1000 } }",
                "{ rate: 5/s, warm-up: 10s, adaptive: { max: 1000 } }",
                "{ rate: 5/s, adaptive: true }",
                "{ all-of: [ { rate: 5/s }, { concurrency: 5 } ], adaptive: { max: 1000 } }",
                "{ rate: 5/s, adaptive: { min: 500, max: 1000 } }",
                "{ rate: 5/s, key: user }",
                "{ all-of: [ { rate: 5/s, key: user } ] }",
                "{ concurrency: 5 }",
                "{ rate: 50/s, warm-up: 10s }",
                "{ rate: 3000/min, burst: 5 }",
                "{ rate: 5/s, burst: 50 }",
                "{ rate: 600/min, algorithm: sliding-window }",
                "{ rate: 5/s, enforce: 0 }",
                "{ rate: 5/s, rollout: { percent: 100, to: { rate: 50/s } } }",
                "{ rate: 5/s, rollout: { percent: 100, to: { enforce: 0.5 } } }",
                "{ template: t }"
            })
    void noRateExceedsACapOfTheCode(String tooMuch) {
        source.write("limits: { a: { rate: 7/s } }");
        LimiterRegistry registry = builder().build();
        NamedLimiter limiter = registry.names()
                .limiter("a", TokenBucket.of(3, Duration.ofSeconds(1)), Caps.rate(10, Duration.ofSeconds(1)));
        write("templates: { t: { rate: 11/s } }\nlimits: { a: " + tooMuch + " }");
        List<Problem> problems = assertInstanceOf(Changed.class, last()).problems();
        assertFalse(problems.isEmpty(), tooMuch);
        assertTrue(problems.toString().contains("declared in code"), problems::toString);
        assertEquals("TokenBucket", limiter.snapshot().spec().getClass().getSimpleName());
        assertEquals(7, granted(limiter));
        assertNull(registry.limiter("a").status().control());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ concurrency: 5, queue: 11 } | queue.capacity must be <= 10, declared in code",
                "{ rate: 5/s, key: user, enforce: 0, queue: { capacity: 11 } } | queue.capacity must be <= 10, declared in code",
                "{ concurrency: 5, executor: 5 } | executor.threads must be <= 4, declared in code",
                "{ concurrency: 5, executor: { core: 1, max: 5 } } | executor.max must be <= 4, declared in code",
                "{ concurrency: 5, executor: { threads: 4, queue-capacity: 11 } } | executor.queue-capacity must be <= 10, declared in code"
            })
    void noQueueAndNoPoolExceedsACapOfTheCode(String tooMuch, String problem) {
        source.write("limits: { a: { concurrency: 6, queue: 10, executor: { threads: 4, queue-capacity: 10 } } }");
        LimiterRegistry registry = builder().build();
        Caps caps = Caps.NONE.withQueueCapacity(10).withThreads(4);
        NamedLimiter limiter = registry.names().limiter("a", new Semaphore(7), caps);
        assertEquals(6, granted(limiter));
        write("limits: { a: " + tooMuch + " }");
        List<String> problems = assertInstanceOf(Changed.class, last()).problems().stream()
                .map(each -> each.field() + " " + each.rule())
                .toList();
        assertEquals(List.of(problem), problems);
        assertEquals(6, granted(limiter));
        write("limits: { a: { rate: 5/s, key: user, enforce: 0, queue: 9 } }");
        assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
        assertEquals(
                "queueCapacity must be >= 0, was -1",
                assertThrows(IllegalArgumentException.class, () -> caps.withQueueCapacity(-1))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> caps.withThreads(0));
    }

    @Test
    void closedExceedsNoCapAndOpenExceedsEach() {
        source.write("limits: { a: { algorithm: closed }, b: { algorithm: closed } }");
        LimiterRegistry registry = builder().build();
        NamedLimiter rate = registry.names()
                .limiter("a", TokenBucket.of(3, Duration.ofSeconds(1)), Caps.rate(10, Duration.ofSeconds(1)));
        NamedLimiter concurrency = registry.names().limiter("b", new Semaphore(7), Caps.concurrency(10));
        assertEquals(0, granted(concurrency));
        assertEquals(0, granted(concurrency));
        write("limits: { a: { algorithm: open }, b: { algorithm: open } }");
        assertEquals(
                Set.of("a", "b"),
                assertInstanceOf(Changed.class, last()).problems().stream()
                        .map(Problem::limiter)
                        .collect(Collectors.toSet()));
        assertEquals(0, granted(rate));
        assertEquals(0, granted(concurrency));
    }

    @Test
    void anAdaptedRateWithinItsCapIsInForce() {
        source.write("limits: { a: { rate: 5/s, adaptive: { min: 2, max: 10 } } }");
        LimiterRegistry registry = builder().build();
        registry.names().limiter("a", TokenBucket.of(3, Duration.ofSeconds(1)), Caps.rate(10, Duration.ofSeconds(1)));
        assertNotNull(registry.limiter("a").status().control());
        write("limits: { a: { rate: 6/s } }");
        assertEquals(6, granted(registry.limiter("a")));
        assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
    }

    @Test
    void aDefaultOfTheCodeIsWithinItsOwnCaps() {
        source.write("limits: { a: { concurrency: 4 } }");
        LimiterRegistry registry = builder().build();
        assertEquals(
                "declared must be within its own caps: "
                        + "[declared: a: concurrency must be <= 5, declared in code, was 100]",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> registry.names().limiter("a", new Semaphore(100), Caps.concurrency(5)))
                        .getMessage());
        assertEquals(Caps.NONE, registry.names().explain("a").caps());
        assertEquals(4, granted(registry.limiter("a")));
        assertThrows(
                IllegalArgumentException.class,
                () -> registry.names().limiter("b", new Semaphore(100), Caps.concurrency(5)));
        assertEquals(5, granted(registry.names().limiter("b", new Semaphore(5), Caps.concurrency(5))));
    }
}
