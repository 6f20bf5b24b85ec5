package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.status.ConfigEvent.Overridden;
import dev.weir.named.status.LimitChange.Writer;
import dev.weir.named.status.LimitOverride;
import dev.weir.queue.QueueSnapshot;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An override is a patch: what it does not name stays, and it stays a patch when the document changes below it. */
class OverridePatchTest extends RegistryFixture {
    private static Registration override(LimiterRegistry registry, String fields) {
        return registry.override("a", fields, Duration.ofMinutes(5), "ann", "incident 7");
    }

    private static Map<String, String> settings(LimiterRegistry registry) {
        return registry.limiter("a").status().settings();
    }

    private static LimitOverride status(LimiterRegistry registry) {
        return Objects.requireNonNull(registry.limiter("a").status().override());
    }

    private static String refused(LimiterRegistry registry, String fields) {
        Map<String, String> before = settings(registry);
        String message = assertThrows(IllegalArgumentException.class, () -> override(registry, fields), fields)
                .getMessage();
        assertEquals(before, settings(registry));
        assertNull(registry.limiter("a").status().override());
        return message;
    }

    private Overridden told() {
        return assertInstanceOf(Overridden.class, last(), () -> last().toString());
    }

    private static List<String> texts(LimitOverride override) {
        return override.differences().stream().map(Object::toString).toList();
    }

    /** A patch is put over the settings as text by path: keys that look like paths are still keys. */
    @Test
    void keysThatLookLikePathsStay() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 100, algorithm: partitioned, lent: 0, percents: "
                        + "{ 'x.y': 10, '[::1]': 20, 'a]b': 30, ']]': 5, '0': 5, 'z[0]': 5 } } }");
        StrategySpec before = registry.limiter("a").spec();
        Registration given = override(registry, "concurrency: 50");
        assertEquals(Parts.of(before).withLimit(50), registry.limiter("a").spec());
        given.close();
        assertEquals(before, registry.limiter("a").spec());
    }

    @Test
    void whoWaitsWaitsOnInTheQueueOfTheDocument() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 1, queue: { capacity: 100, max-wait: 1h } } }");
        NamedLimiter limiter = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            waiting.add(limiter.acquireAsync(Request.ONE));
        }
        Registration hand = override(registry, "concurrency: 5");
        QueueSnapshot queue = Objects.requireNonNull(limiter.status().queue());
        assertEquals(4, queue.granted());
        assertEquals(56, queue.length());
        hand.close();
        queue = Objects.requireNonNull(limiter.status().queue());
        assertEquals(56, queue.length());
        assertEquals(0, queue.full() + queue.cancelled());
        waiting.forEach(each -> each.thenAccept(
                decision -> assertInstanceOf(Permit.class, decision).release(Outcome.SUCCESS)));
        held.release(Outcome.SUCCESS);
        await().until(() -> waiting.stream().allMatch(each -> each.isDone() && each.join() instanceof Permit));
    }

    @Test
    void eachKeyKeepsItsOwnLimit() {
        LimiterRegistry registry = registry("limits: { a: { rate: 100/s, key: user } }");
        NamedLimiter limiter = registry.limiter("a");
        override(registry, "rate: 1/s");
        for (String user : List.of("ann", "ben", "eve")) {
            Request request = limiter.request(Map.of("user", user)::get);
            assertInstanceOf(Permit.class, limiter.tryAcquire(request), user);
        }
        assertEquals(List.of("a.rate: 100/s -> 1/s"), texts(told().override()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            concurrency: 9, queue: { capacity: 7, max-wait: 1s } | queue: null | {concurrency=9}
            concurrency: 9, queue: { capacity: 7, max-wait: 1s } | queue: { max-wait: null } | {concurrency=9, queue.capacity=7}
            concurrency: 9, queue: { capacity: 7, max-wait: 1s } | queue: { max-wait: 2s } | {concurrency=9, queue.capacity=7, queue.max-wait=2s}
            concurrency: 9, queue: { capacity: 7, max-wait: 1s } | queue: 8 | {concurrency=9, queue=8}
            concurrency: 9 | queue: { capacity: 3, max-wait: null }, enforce: null | {concurrency=9, queue.capacity=3}
            concurrency: 9 | burst: null, algorithm: null, adaptive: { signals: null, controller: { name: null } } | {concurrency=9}
            rate: 9/s, burst: 3, key: user, queue: 4 | rate: 2/s | {burst=3, key=user, queue=4, rate=2/s}
            rate: 9/s, algorithm: gcra, tolerance: 1s | rate: 2/s | {algorithm=gcra, rate=2/s, tolerance=1s}
            rate: 9/s, burst: 3, key: user, queue: 4 | algorithm: gcra | {algorithm=gcra, key=user, queue=4, rate=9/s}
            rate: 9/s, burst: 3, warm-up: 10s, key: user, queue: 4 | concurrency: 6 | {concurrency=6, key=user, queue=4}
            concurrency: 9, adaptive: { min: 2, max: 20 }, queue: 4 | rate: 2/s, burst: 5 | {burst=5, queue=4, rate=2/s}
            concurrency: 9, adaptive: { min: 2, max: 20 }, queue: 4 | concurrency: 3 | {adaptive.max=20, adaptive.min=2, concurrency=3, queue=4}
            concurrency: 9, adaptive: { min: 2, max: 20 }, queue: 4 | algorithm: closed | {algorithm=closed, queue=4}
            concurrency: 9, queue: 4 | all-of: [ { concurrency: 2 }, { rate: 5/s } ] | {all-of[0].concurrency=2, all-of[1].rate=5/s, queue=4}
            all-of: [ { concurrency: 2 }, { rate: 5/s } ], queue: 4 | concurrency: 6 | {concurrency=6, queue=4}
            all-of: [ { concurrency: 2 }, { rate: 5/s } ], queue: 4 | all-of: [ { concurrency: 1 } ] | {all-of[0].concurrency=1, queue=4}
            concurrency: 9, algorithm: partitioned, lent: 50, percents: { gold: 60, free: 40 } | percents: { free: null } | {algorithm=partitioned, concurrency=9, lent=50, percents.gold=60}
            """)
    void isMergedOverTheDocument(String document, String patch, String merged) {
        LimiterRegistry registry = registry("limits: { a: { " + document + " } }");
        Map<String, String> before = settings(registry);
        Registration hand = override(registry, "{ " + patch + " }");
        assertEquals(merged, new TreeMap<>(settings(registry)).toString());
        hand.close();
        assertEquals(before, settings(registry));
    }

    @Test
    void whatItDropsAndReplacesIsSaid() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 9, queue: { capacity: 7, max-wait: 1s } } }");
        override(registry, "{ rate: 5/s, queue: { max-wait: null } }");
        List<String> said = List.of("a.concurrency: 9 -> none", "a.queue.max-wait: 1s -> none", "a.rate: none -> 5/s");
        assertEquals(said, texts(told().override()));
        assertEquals(said, texts(status(registry)));
        assertEquals(
                Map.of("rate", "5/s", "queue.max-wait", "null"),
                status(registry).patch());
        assertEquals(
                said,
                registry.names().explain("a").changes().get(1).differences().stream()
                        .map(Object::toString)
                        .toList());
        assertTrue(
                registry.names().explain("a").toString().contains("override: ann: incident 7, until "),
                registry.names().explain("a")::toString);
        assertTrue(registry.names().explain("a").toString().contains("a.queue.max-wait: 1s -> none"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            quue: null | a: quue is not known; did you mean queue?
            max-wait: null | a: max-wait is not known; did you mean queue.max-wait?
            maxWait: null | a: maxWait is not known; did you mean queue.max-wait?
            maxWait: 1s | a: maxWait is not known; did you mean queue.max-wait?
            queue: { maxWait: null } | a: queue.maxWait is not known; did you mean max-wait?
            queue: { maxWait: 1s } | a: queue.maxWait is not known; did you mean max-wait?
            queue: { burst: null } | a: queue.burst is not known
            queue: { retry: { factor: null } } | a: queue.retry.factor is not known; known: initial, max, multiplier
            retry: { max: null } | a: retry is not known; did you mean queue.retry?
            queue: { discipline: { name: codel, capacity: null } } | a: queue.discipline.capacity is not known
            queue: { max-wait: never } | a: queue.max-wait must be
            template: t | a: template must not be given in a patch
            rollout: { percent: 5 } | a: rollout must not be given in a patch
            concurrency: 3, rate: 3/s | must have only one of concurrency, rate, budget and throttle
            concurrency: null | must have concurrency, rate, budget, throttle, all-of or algorithm
            algorithm: gcra | rate must be given
            algorithm: nonesuch | algorithm is not known
            {} | must be a map of fields
            """)
    void oneThatIsWrongIsRefused(String patch, String problem) {
        LimiterRegistry registry =
                registry("templates: { t: {} }\nlimits: { a: { concurrency: 9, queue: { capacity: 7 } } }");
        String message = refused(registry, patch.equals("{}") ? patch : "{ " + patch + " }");
        assertTrue(message.contains(problem), message);
    }

    @Test
    void overAnAdaptiveLimitItIsWhereTheControlGoesOnFrom() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 20, adaptive: { min: 2, max: 90 } } }");
        Registration hand = override(registry, "concurrency: 5");
        assertEquals(5, granted(registry.limiter("a")));
        assertNotNull(registry.limiter("a").status().control());
        hand.close();
        assertEquals(20, granted(registry.limiter("a")));
        override(registry, "{ concurrency: 5, adaptive: null }");
        assertEquals(5, granted(registry.limiter("a")));
        assertNull(registry.limiter("a").status().control());
    }

    @Test
    void goesOnAsAPatchOverTheNextDocument() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 9, queue: { capacity: 7 } } }");
        override(registry, "concurrency: 3");
        write("limits: { a: { concurrency: 8, queue: { capacity: 5 }, enforce: 0.5 } }");
        assertEquals(Map.of("concurrency", "3", "queue.capacity", "5", "enforce", "0.5"), settings(registry));
        assertEquals(List.of("a.concurrency: 8 -> 3"), texts(status(registry)));
        write("limits: { a: { rate: 8/s, key: user } }");
        assertEquals(Map.of("concurrency", "3", "key", "user"), settings(registry));
        time.advance(Duration.ofMinutes(6));
        assertEquals(Map.of("rate", "8/s", "key", "user"), settings(registry));
        assertTrue(told().ended());
    }

    @Test
    void whatDoesNotFitTheNextDocumentIsToldAndWhatItMadeBeforeStays() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 9, queue: { capacity: 7 } } }");
        Registration hand = override(registry, "queue: { max-wait: 3s }");
        write("limits: { a: { concurrency: 8 } }");
        Map<String, String> kept = Map.of("concurrency", "9", "queue.capacity", "7", "queue.max-wait", "3s");
        assertEquals(kept, settings(registry));
        assertEquals(9, granted(registry.limiter("a")));
        String problem = status(registry).problem();
        assertTrue(problem.contains("a: queue.capacity must be given"), problem);
        assertTrue(events.stream()
                .anyMatch(event -> event instanceof Overridden told
                        && told.override().problem().equals(problem)));
        assertTrue(registry.names().explain("a").toString().contains("not over the settings of now"));
        assertEquals(Writer.OVERRIDE, registry.names().explain("a").writer());
        write("limits: { a: { concurrency: 6, queue: { capacity: 2 } } }");
        assertEquals(Map.of("concurrency", "6", "queue.capacity", "2", "queue.max-wait", "3s"), settings(registry));
        assertEquals("", status(registry).problem());
        write("limits: { a: { concurrency: 5 } }");
        hand.close();
        assertEquals(Map.of("concurrency", "5"), settings(registry));
    }

    @Test
    void capsHoldForWhatItMakesOfTheNextDocument() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 2, adaptive: { min: 1, max: 4 } } }");
        registry.names().limiter("a", new Semaphore(2), Caps.concurrency(10));
        override(registry, "concurrency: 9");
        write("limits: { a: { concurrency: 3 } }");
        assertEquals(Map.of("concurrency", "9"), settings(registry));
        registry.names().limiter("a", new Semaphore(2), Caps.concurrency(8));
        assertEquals(Map.of("concurrency", "3"), settings(registry));
        assertNull(registry.limiter("a").status().override());
    }

    @Test
    void aNameThatIsRemovedKeepsWhatItMadeUntilItsEnd() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 9, queue: { capacity: 7 } } }");
        Registration hand = override(registry, "concurrency: 3");
        write("removed: [a]\nlimits: {}");
        assertEquals(Map.of("concurrency", "3", "queue.capacity", "7"), settings(registry));
        hand.close();
        assertTrue(registry.limiter("a").status().removed());
        override(registry, "concurrency: 2");
        assertEquals(2, granted(registry.limiter("a")));
    }

    @Test
    void overADefaultOfTheCodeItIsAWholeLimit() {
        LimiterRegistry registry = registry("limits: {}");
        registry.limiter("a", new Semaphore(4));
        assertTrue(refused(registry, "queue: 5")
                .contains("must have concurrency, rate, budget, throttle, all-of or algorithm"));
        override(registry, "{ concurrency: 3, queue: 5 }");
        assertEquals(
                List.of("a.concurrency: none -> 3", "a.limit: Semaphore[limit=4] -> none", "a.queue: none -> 5"),
                texts(status(registry)));
        registry.limiter("b", Keyed.of(TokenBucket.of(5, Duration.ofSeconds(1)), 100));
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> registry.override("b", "rate: 2/s", Duration.ofMinutes(1), "ann", "test"))
                .getMessage();
        assertTrue(message.contains("must have key"), message);
        assertNotNull(registry.override("b", "{ rate: 2/s, key: true }", Duration.ofMinutes(1), "ann", "test"));
    }

    @Test
    void aNameOfTheCodeIsNotReadAsPartOfADocument() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 9 } }");
        String name = "GET \"/x\": {";
        NamedLimiter limiter = registry.limiter(name, new Semaphore(4));
        Registration hand = registry.override(name, "concurrency: 2", Duration.ofMinutes(1), "ann", "test");
        assertEquals(2, granted(limiter));
        hand.close();
        assertEquals(
                "name must not have control characters, was b?limits: {}",
                assertThrows(IllegalArgumentException.class, () -> registry.limiter("b\nlimits: {}", new Semaphore(1)))
                        .getMessage());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> registry.limiter("b\nc"))
                .getMessage()
                .endsWith("was b?c"));
    }
}
