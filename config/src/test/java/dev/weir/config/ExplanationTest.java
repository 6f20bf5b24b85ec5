package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.status.Explanation;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The reasons for what is in force, by whatever writer, and what becomes of settings by none of them. */
class ExplanationTest extends RegistryFixture {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private LimiterRegistry started(String document) {
        source.write(document);
        return builder().clock(() -> NOON).build();
    }

    private static List<String> texts(Explanation explanation) {
        return explanation.changes().stream()
                .map(change -> change.toString().replace("2026-03-01T12:00:00Z ", ""))
                .toList();
    }

    @Test
    void aLimitIsExplainedByEachOfItsWriters() {
        LimiterRegistry registry = started("""
                document: { version: 7, author: ann, reason: more load }
                templates:
                  base: { queue: 9 }
                  service: { template: base, track-permits: 100 }
                limits:
                  checkout:
                    template: service
                    concurrency: 20
                    rollout: { percent: 100, to: { concurrency: 40 } }
                """);
        registry.names().limiter("checkout", new Semaphore(5), Caps.concurrency(100));
        Registration hand = registry.override("checkout", "concurrency: 3", Duration.ofMinutes(10), "ben", "too slow");
        Explanation explained = registry.names().explain("checkout");
        assertEquals(Writer.OVERRIDE, explained.writer());
        assertEquals("7", explained.version());
        assertEquals(Objects.requireNonNull(explained.documentChange()).who(), "ann");
        assertEquals("""
                checkout: 3 now, by override
                  settings: concurrency 3, queue 9, track-permits 100
                  document: memory:6, template service of base, version 7
                  override: ben: too slow, until 2026-03-01T12:10:00Z: checkout.concurrency: 40 -> 3
                  caps: at most 100 at once
                  control: none
                  share: none
                  changes:
                    2026-03-01T12:00:00Z document 7 by ann: more load: checkout.concurrency: none -> 40, checkout.queue: none -> 9, checkout.track-permits: none -> 100
                    2026-03-01T12:00:00Z override by ben: too slow, until 2026-03-01T12:10:00Z: checkout.concurrency: 40 -> 3""", explained.toString());
        hand.close();
        assertEquals(Writer.DOCUMENT, registry.names().explain("checkout").writer());
        assertTrue(registry.names().explain("checkout").changes().get(2).why().startsWith("ended"));
    }

    @Test
    void whatTheControlDoesIsAmongTheChangesAndDoesNotHideTheDocument() {
        LimiterRegistry registry = started(
                "document: { version: 3, author: ann }\nlimits: { a: { concurrency: 20, adaptive: { min: 5, max: 90 } } }");
        ManagedLimiter limiter = Objects.requireNonNull(
                        registry.names().table().entry("a").local())
                .limiter();
        for (int limit = 21; limit < 81; limit++) {
            limiter.dial().setLimit(limit, "grew");
        }
        Explanation explained = registry.names().explain("a");
        assertEquals(Writer.CONTROL, explained.writer());
        assertTrue(explained.toString().contains("\n  control: 5 to 90: crest: "), explained::toString);
        assertEquals(50, explained.changes().size());
        assertEquals("control: grew: a.limit: 79 -> 80", texts(explained).get(49));
        assertEquals("3", Objects.requireNonNull(explained.documentChange()).version());
    }

    @Test
    void anOrphanAndAFaultyLimitAreExplainedByTheDocumentThatHadThem() {
        LimiterRegistry registry =
                started("document: { version: 1 }\nlimits:\n  a: { concurrency: 1 }\n  b: { concurrency: 2 }");
        write("document: { version: 2 }\nlimits:\n\n  b: { concurrency: 0 }");
        assertTrue(
                registry.names().explain("a").toString().contains("memory:3, version 1, an orphan"),
                registry.names().explain("a")::toString);
        assertTrue(
                registry.names().explain("b").toString().contains("memory:4, version 1"),
                registry.names().explain("b")::toString);
        write("document: { version: 3 }\nremoved: [a]\nlimits:\n\n\n  b: { concurrency: 2 }");
        assertTrue(
                registry.names().explain("a").toString().startsWith("a: removed"),
                registry.names().explain("a")::toString);
        assertTrue(
                registry.names().explain("b").toString().contains("memory:6, version 3"),
                registry.names().explain("b")::toString);
        assertEquals(
                "1",
                Objects.requireNonNull(registry.names().explain("b").documentChange())
                        .version());
    }

    @Test
    void aDefaultOfTheCodeIsExplained() {
        LimiterRegistry registry = started("limits: {}");
        registry.limiter("a", new Semaphore(2));
        registry.limiter("a", new Semaphore(3));
        Explanation explained = registry.names().explain("a");
        assertEquals(Writer.CODE, explained.writer());
        assertNull(explained.origin());
        assertEquals(
                List.of(
                        "code: declared a default: a.limit: none -> Semaphore[limit=2]",
                        "code: declared a default: a.limit: Semaphore[limit=2] -> Semaphore[limit=3]"),
                texts(explained));
    }

    private ManagedLimiter limiter(LimiterRegistry registry) {
        return Objects.requireNonNull(registry.names().table().entry("a").local())
                .limiter();
    }

    @Test
    void anAdaptiveLimitStaysWithinItsBoundsWhateverIsSet() {
        LimiterRegistry registry = started("limits: { a: { concurrency: 20, adaptive: { min: 5, max: 40 } } }");
        limiter(registry).dial().setLimit(1000, "by hand");
        assertEquals(40, limiter(registry).snapshot().limit());
        for (String bounds : List.of("min: 90, max: 400", "min: 2, max: 6", "min: 90, max: 400", "min: 1, max: 1")) {
            write("limits: { a: { concurrency: 20, adaptive: { " + bounds + " } } }");
            Bounds inForce = Objects.requireNonNull(
                            registry.limiter("a").status().control())
                    .bounds();
            assertEquals(bounds, "min: " + inForce.min() + ", max: " + inForce.max());
            long limit = limiter(registry).snapshot().limit();
            assertTrue(inForce.min() <= limit && limit <= inForce.max(), () -> limit + " with " + bounds);
        }
    }

    @Test
    void anAdaptiveLimitCanBeClosed() {
        LimiterRegistry registry = started("limits: { a: { concurrency: 20, adaptive: { min: 5, max: 40 } } }");
        write("limits: { a: { algorithm: closed } }");
        assertEquals(List.of(), changed().problems());
        assertEquals(0, granted(registry.limiter("a")));
        write("limits: { a: { concurrency: 20, adaptive: { min: 5, max: 40 } } }");
        assertEquals(20, granted(registry.limiter("a")));
    }

    @Test
    void capsThatAreDeclaredLaterEndAnOverrideThatExceedsThem() {
        LimiterRegistry registry = started("limits: { a: { concurrency: 4 } }");
        Registration unused = registry.override("a", "concurrency: 90", Duration.ofMinutes(5), "ann", "sale");
        registry.names().limiter("a", new Semaphore(3), Caps.concurrency(10));
        assertEquals(4, granted(registry.limiter("a")));
        assertTrue(refused().problems().get(0).toString().contains("override"), refused()::toString);
    }

    @Test
    void aDocumentDuringAnOverrideIsAChangeAndKeepsItsVersion() {
        LimiterRegistry registry = started("document: { version: 1, author: ann }\nlimits: { a: { concurrency: 1 } }");
        Registration unused = registry.override("a", "concurrency: 9", Duration.ofMinutes(5), "eve", "test");
        write("document: { version: 2, author: ben }\nlimits: { a: { concurrency: 2 } }");
        write("document: { version: 3 }\nlimits: { a: { concurrency: 0 } }");
        Explanation explained = registry.names().explain("a");
        assertEquals("2", explained.version());
        assertEquals("ben", Objects.requireNonNull(explained.documentChange()).who());
    }
}
