package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Keyed;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Problem;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.CoDel;
import dev.weir.spi.RampCurve;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DocumentReaderTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    static LimitsDocument read(String text) throws DocumentException {
        return TestFactories.reader().read("limits.yaml", text.getBytes(UTF_8), Format.YAML);
    }

    private static LimitPlan plan(String fields) throws DocumentException {
        LimitsDocument document = read("limits:\n  a: " + fields + "\n");
        assertEquals(List.of(), document.problems());
        return Objects.requireNonNull(document.limits().get("a"));
    }

    @Test
    void theAlgorithmOfAnAmountIsKnown() throws Exception {
        assertEquals(new Semaphore(40), plan("{ concurrency: 40 }").spec());
        assertEquals(
                TokenBucket.of(100, SECOND).withCapacity(200),
                plan("{ rate: 100/s, burst: 200 }").spec());
        assertEquals(
                SlidingWindow.of(1000, Duration.ofHours(1)),
                plan("{ rate: 1k/h, algorithm: sliding-window }").spec());
    }

    @Test
    void severalLimitsMustAllGrant() throws Exception {
        LimitPlan plan =
                plan("{ all-of: [ { rate: 10/s }, { rate: 1000/h, algorithm: sliding-window } ], enforce: 10% }");
        assertEquals(AllOf.of(TokenBucket.of(10, SECOND), SlidingWindow.of(1000, Duration.ofHours(1))), plan.spec());
        assertEquals(0.1, plan.get(LimitPlan.ENFORCE));
    }

    @Test
    void keyAndWarmUpAreAroundTheAlgorithm() throws Exception {
        LimitPlan plan = plan(
                "{ rate: 100/s, key: [user, ip], max-keys: 100k, warm-up: { period: 30s, floor: 10%, curve: guava } }");
        assertEquals(
                new WarmUp(
                        Keyed.of(TokenBucket.of(100, SECOND), 100_000).by("user", "ip"),
                        Duration.ofSeconds(30),
                        10,
                        RampCurve.GUAVA,
                        null),
                plan.spec());
        assertEquals(List.of("user", "ip"), plan.dimensions());
    }

    @Test
    void membersCountByTheNamesThatTheyHave() throws Exception {
        LimitPlan plan = plan("{ all-of: [ { rate: 10/s, key: user }, { rate: 20/s, key: [ip] }, { rate: 5/s, key: "
                + "[ip, user], debt-cells: 64 }, { concurrency: 3 } ] }");
        assertEquals(List.of("user", "ip"), plan.dimensions());
        assertEquals(
                AllOf.of(
                        Keyed.of(TokenBucket.of(10, SECOND), 10_000).by("user"),
                        Keyed.of(TokenBucket.of(20, SECOND), 10_000).by("ip"),
                        Keyed.of(TokenBucket.of(5, SECOND), 10_000)
                                .withDebtCells(64)
                                .by("ip", "user"),
                        new Semaphore(3)),
                plan.spec());
        assertEquals(
                Keyed.of(new Semaphore(1), 10_000),
                plan("{ concurrency: 1, key: true }").spec());
        assertEquals(
                AllOf.of(
                        Keyed.of(new Semaphore(1), 10_000).by("ip", "user"),
                        Keyed.of(new Semaphore(2), 10_000).by("user", "tenant"),
                        Keyed.of(new Semaphore(3), 10_000).by("ip", "tenant", "user")),
                plan("{ all-of: [ { concurrency: 1, key: [user, ip] }, { concurrency: 2, key: [tenant, user] }, "
                                + "{ concurrency: 3, key: true } ] }")
                        .spec());
    }

    @Test
    void aLimitByANameIsTheSameInWhateverDocument() throws Exception {
        Keyed perUser =
                Keyed.of(TokenBucket.of(20, Duration.ofHours(1)), 10_000).by("user");
        assertEquals(perUser, plan("{ rate: 20/h, key: user }").spec());
        assertEquals(
                AllOf.of(
                        Keyed.of(TokenBucket.of(40, Duration.ofHours(1)), 10_000)
                                .by("tenant"),
                        perUser),
                plan("{ all-of: [{ rate: 40/h, key: tenant }, { rate: 20/h, key: user }] }")
                        .spec());
        assertEquals(
                AllOf.of(
                        perUser,
                        Keyed.of(TokenBucket.of(40, Duration.ofHours(1)), 10_000)
                                .by("tenant")),
                plan("{ all-of: [{ rate: 20/h, key: user }, { rate: 40/h, key: tenant }] }")
                        .spec());
        assertEquals(
                plan("{ rate: 20/h, key: [tenant, user] }").spec(),
                plan("{ rate: 20/h, key: [user, tenant] }").spec());
    }

    @Test
    void queueExecutorAndAdaptiveControlBelongToALimit() throws Exception {
        LimitPlan plan =
                plan("{ concurrency: 40, adaptive: { min: 10, max: 400, controller: { name: min, of: [crest, aimd] },"
                        + " signals: [cpu, { name: memory }] },"
                        + " queue: { capacity: 100, max-wait: 200ms, discipline: { name: codel, target: 7ms }, predictive: true },"
                        + " executor: { core: 2, max: 8, queue-capacity: 50, keep-alive: 5s } }");
        assertEquals(
                QueueSpec.of(100)
                        .waiting(Duration.ofMillis(200))
                        .by(new CoDel(Duration.ofMillis(7), Duration.ofMillis(100)))
                        .refusingDoomed(),
                plan.find(LimitPlan.QUEUE));
        assertEquals(new LimitPlan.Pool(2, 8, 50, Duration.ofSeconds(5)), plan.find(LimitPlan.EXECUTOR));
        LimitPlan.Adaptive adaptive = Objects.requireNonNull(plan.find(LimitPlan.ADAPTIVE));
        assertEquals(Bounds.of(10, 400), adaptive.bounds());
        assertNotNull(adaptive.controller().get());
        assertEquals(
                List.of("cpu", "memory"),
                adaptive.signals().stream().map(signal -> signal.get().name()).toList());
        LimitPlan shortForms = plan("{ concurrency: 4, queue: 7, executor: 3, adaptive: false, warm-up: 30s }");
        assertEquals(QueueSpec.of(7), shortForms.find(LimitPlan.QUEUE));
        assertEquals(new LimitPlan.Pool(3, 3, 0, Duration.ofMinutes(1)), shortForms.find(LimitPlan.EXECUTOR));
        assertNull(shortForms.find(LimitPlan.ADAPTIVE));
        assertEquals(WarmUp.of(new Semaphore(4), Duration.ofSeconds(30)), shortForms.spec());
    }

    @Test
    void oneFaultyLimitDoesNotHideTheOthers() throws Exception {
        LimitsDocument document = read("""
                limits:
                  good: { concurrency: 1 }
                  bad: { concurrency: 0, queue: { capacity: 1, max-wiat: 1s } }
                  faulty: { algorithm: faulty }
                  empty: {}
                """);
        assertEquals(Set.of("good"), document.limits().keySet());
        assertEquals(Set.of("bad", "faulty", "empty"), document.faulty());
        assertEquals(
                List.of(
                        "limits.yaml:3:23: bad: concurrency must be >= 1, was 0",
                        "limits.yaml:3:48: bad: queue.max-wiat is not known; did you mean max-wait?",
                        "limits.yaml:4:11: faulty: cannot be created: java.lang.StackOverflowError",
                        "limits.yaml:5:10: empty: must have concurrency, rate, budget, throttle, all-of or algorithm"),
                document.problems().stream().map(Problem::toString).toList());
    }

    @Test
    void settingsAreTheTextByPath() throws Exception {
        assertEquals(
                Map.of("concurrency", "4", "queue.capacity", "7", "enforce", "10%"),
                plan("{ concurrency: 4, queue: { capacity: 7 }, enforce: 10% }").settings());
    }

    @Test
    void theLargestTableTakesMemoryOnlyForItsKeys() throws Exception {
        assertEquals(
                Keyed.of(new Semaphore(1), 1 << 30).withDebtCells(1 << 29),
                plan("{ concurrency: 1, key: true, max-keys: 1073741824, debt-cells: 536870912 }")
                        .spec());
        assertNotNull(plan("{ rate: 1/s, key: true, max-keys: 1073741824, debt-cells: 536870912 }"));
    }

    @Test
    void theFactoriesOfTheLibraryAreFound() throws Exception {
        LimitsDocument document = DocumentReader.system().read("d", """
                limits:
                  checkout: { concurrency: 40, adaptive: { min: 10, max: 400 }, queue: { capacity: 100, max-wait: 200ms, discipline: codel-lifo } }
                  search:   { rate: 100/s, burst: 200, key: [user, ip], max-keys: 100000, warm-up: 30s }
                  mail:     { all-of: [ { rate: 10/s }, { rate: 1000/h, algorithm: sliding-window } ], enforce: 0.1 }
                """.getBytes(UTF_8), Format.YAML);
        assertEquals(List.of(), document.problems());
        assertEquals(
                List.of("checkout", "search", "mail"),
                List.copyOf(document.limits().keySet()));
    }
}
