package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Signal;
import dev.weir.adaptive.controller.Aimd;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.controller.EnvoyGradient;
import dev.weir.adaptive.controller.Gradient2;
import dev.weir.adaptive.controller.LoadGuard;
import dev.weir.adaptive.controller.Min;
import dev.weir.adaptive.controller.QueueDelayPid;
import dev.weir.adaptive.controller.Vegas;
import dev.weir.adaptive.warmup.Ramp;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Problem;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.AdaptiveLifo;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.EarliestDeadline;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Priority;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each name and its fields create. */
class BuiltinTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static LimitsDocument read(String limit) throws Exception {
        byte[] content = ("limits: { it: { " + limit + " } }").getBytes(StandardCharsets.UTF_8);
        return DocumentReader.system().read("d", content, Format.YAML);
    }

    /** The limit of a document with these fields. */
    static LimitPlan plan(String limit) throws Exception {
        LimitsDocument document = read(limit);
        assertEquals(List.of(), document.problems());
        return Objects.requireNonNull(document.limits().get("it"));
    }

    /** The rules that a limit with these fields breaks. */
    static List<String> problems(String limit) throws Exception {
        return read(limit).problems().stream().map(Problem::rule).toList();
    }

    static Stream<Arguments> algorithms() {
        TokenBucket bucket = TokenBucket.of(100, SECOND);
        return Stream.of(
                Arguments.of("concurrency: 40", new Semaphore(40)),
                Arguments.of("concurrency: 40, algorithm: semaphore", new Semaphore(40)),
                Arguments.of("concurrency: 40, algorithm: counter", new Counter(40)),
                Arguments.of(
                        "concurrency: 40, algorithm: partitioned, percents: { paid: 60, free: 30% }, lent: 50%",
                        new Partitioned(40, Map.of("paid", 60, "free", 30), 50)),
                Arguments.of(
                        "concurrency: 40, algorithm: priority-shedding, reserved: [10, 50%]",
                        PriorityShedding.of(40, 10, 50)),
                Arguments.of("rate: 100/s", bucket),
                Arguments.of("rate: 0.5/s", TokenBucket.of(1, Duration.ofSeconds(2))),
                Arguments.of("rate: 1/2s", TokenBucket.of(1, Duration.ofSeconds(2))),
                Arguments.of("rate: 100/s, burst: 20", bucket.withCapacity(20)),
                Arguments.of(
                        "rate: 100/s, burst: 20, initial: 0, refill: interval",
                        new TokenBucket(100, SECOND, 20, 0, TokenBucket.Refill.INTERVAL)),
                Arguments.of(
                        "rate: 1M/s, batched: true",
                        TokenBucket.of(1_000_000, SECOND).batched()),
                Arguments.of(
                        "rate: 1M/s, batched: true, batch: 7",
                        TokenBucket.of(1_000_000, SECOND).batched(7)),
                Arguments.of("rate: 10/s, algorithm: leaky-bucket", LeakyBucket.of(10, SECOND)),
                Arguments.of(
                        "rate: 10/s, algorithm: leaky-bucket, burst: 5",
                        LeakyBucket.of(10, SECOND).withBurst(5)),
                Arguments.of("rate: 10/s, algorithm: pacer", Pacer.of(10, SECOND)),
                Arguments.of(
                        "rate: 10/s, algorithm: pacer, largest: 3",
                        Pacer.of(10, SECOND).withLargest(3)),
                Arguments.of("rate: 10/s, algorithm: gcra", Gcra.of(10, SECOND)),
                Arguments.of(
                        "rate: 10/s, algorithm: gcra, tolerance: 400ms", new Gcra(10, SECOND, Duration.ofMillis(400))),
                Arguments.of("rate: 10/s, algorithm: fixed-window", FixedWindow.of(10, SECOND)),
                Arguments.of(
                        "rate: 10/d, algorithm: fixed-window, aligned: true",
                        FixedWindow.aligned(10, Duration.ofDays(1))),
                Arguments.of("rate: 10/s, algorithm: sliding-window", SlidingWindow.of(10, SECOND)),
                Arguments.of(
                        "rate: 10/s, algorithm: sliding-window, blocks: 60",
                        SlidingWindow.of(10, SECOND).withBlocks(60)),
                Arguments.of(
                        "rate: 400k/min, cost: settled", Settled.of(TokenBucket.of(400_000, Duration.ofMinutes(1)))),
                Arguments.of(
                        "rate: 10/s, algorithm: gcra, cost: settled, over: once",
                        Settled.of(Gcra.of(10, SECOND)).once()),
                Arguments.of("rate: 10/s, cost: permits, over: never", TokenBucket.of(10, SECOND)),
                Arguments.of(
                        "all-of: [{rate: 400k/min, cost: settled}, {rate: 500/min}, {concurrency: 40}]",
                        AllOf.of(
                                Settled.of(TokenBucket.of(400_000, Duration.ofMinutes(1))),
                                TokenBucket.of(500, Duration.ofMinutes(1)),
                                new Semaphore(40))),
                Arguments.of("rate: 10/s, algorithm: sliding-log", SlidingLog.of(10, SECOND)),
                Arguments.of(
                        "rate: 5/15min, algorithm: first-hit-quota", new FirstHitQuota(5, Duration.ofMinutes(15))));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void anAlgorithm(String limit, StrategySpec created) throws Exception {
        assertEquals(created, plan(limit).spec());
    }

    static Stream<Arguments> disciplines() {
        Duration target = Duration.ofMillis(5);
        Duration interval = Duration.ofMillis(100);
        return Stream.of(
                Arguments.of("fifo", new Fifo()),
                Arguments.of("lifo", new Lifo()),
                Arguments.of("adaptive-lifo", new AdaptiveLifo(interval)),
                Arguments.of("{ name: adaptive-lifo, standing: 1s }", new AdaptiveLifo(SECOND)),
                Arguments.of("codel", new CoDel(target, interval)),
                Arguments.of(
                        "{ name: codel, target: 10ms, interval: 1s, within: { name: priority, ageing: 2s } }",
                        new CoDel(Duration.ofMillis(10), SECOND, new Priority(Duration.ofSeconds(2)))),
                Arguments.of("codel-lifo", new CoDel(target, interval, new AdaptiveLifo(interval))),
                Arguments.of("{ name: priority, ageing: 1s }", new Priority(SECOND)),
                Arguments.of("earliest-deadline", new EarliestDeadline()),
                Arguments.of("fair-share", new FairShare()),
                Arguments.of("{ name: fair-share, weights: { paid: 3 } }", new FairShare(Map.of("paid", 3))));
    }

    @ParameterizedTest
    @MethodSource("disciplines")
    void aDiscipline(String discipline, DisciplineSpec created) throws Exception {
        QueueSpec queue = plan("concurrency: 1, queue: { capacity: 3, discipline: " + discipline + " }")
                .find(LimitPlan.QUEUE);
        assertEquals(created, Objects.requireNonNull(queue).discipline());
    }

    static Stream<Arguments> controllers() {
        Duration minute = Duration.ofMinutes(1);
        return Stream.of(
                Arguments.of("crest", new Crest()),
                Arguments.of("crest, instances: 1", Crest.alone()),
                Arguments.of("crest, instances: 2", new Crest()),
                Arguments.of("{ name: crest, instances: 1 }", Crest.alone()),
                Arguments.of("{ name: crest, instances: 2 }", new Crest()),
                Arguments.of(
                        "{ name: min, of: [ aimd, { name: crest, instances: 1 } ] }",
                        Min.of(new Aimd(), Crest.alone())),
                Arguments.of("aimd", new Aimd()),
                Arguments.of("{ name: aimd, backoff: 50% }", new Aimd(0.5)),
                Arguments.of("{ name: aimd, by: losses }", new Aimd()),
                Arguments.of("{ name: aimd, by: rejections }", Aimd.byRejections()),
                Arguments.of("{ name: aimd, by: rejections, backoff: 80% }", Aimd.byRejections(0.8)),
                Arguments.of("vegas", new Vegas()),
                Arguments.of("{ name: vegas, seed: 3 }", new Vegas(3)),
                Arguments.of("gradient2", new Gradient2()),
                Arguments.of("{ name: gradient2, tolerance: 2 }", new Gradient2(2)),
                Arguments.of("envoy-gradient", new EnvoyGradient()),
                Arguments.of(
                        "{ name: envoy-gradient, period: 30s, seed: 3 }", new EnvoyGradient(minute.dividedBy(2), 3)),
                Arguments.of(
                        "{ name: load-guard, signal: cpu }",
                        LoadGuard.builder("cpu").build()),
                Arguments.of(
                        "{ name: load-guard, signal: cpu, low: 0.5, high: 0.9, target: 0.6, safe: 7, kept-windows: 2, window: 1s }",
                        LoadGuard.builder("cpu")
                                .between(0.5, 0.9)
                                .target(0.6)
                                .safe(7)
                                .keepFor(2)
                                .every(SECOND)
                                .build()),
                Arguments.of("{ name: queue-delay-pid, target: 50ms }", new QueueDelayPid("queue-delay", 0.05)),
                Arguments.of(
                        "{ name: queue-delay-pid, signal: memory, target: 2s, proportional: 1, integral: 2, derivative: 3, safe: 4 }",
                        new QueueDelayPid("memory", 2, new QueueDelayPid.Gains(1, 2, 3), 4)),
                Arguments.of(
                        "{ name: min, of: [ crest, { name: load-guard, signal: cpu } ] }",
                        Min.of(new Crest(), LoadGuard.builder("cpu").build())),
                Arguments.of("{ name: ramp, limit: 200, period: 1min }", Ramp.to(200, minute)),
                Arguments.of(
                        "{ name: ramp, limit: 200, period: 1min, before: aimd }", Ramp.before(new Aimd(), 200, minute)),
                Arguments.of(
                        "{ name: ramp, limit: 9, period: 1min, curve: guava, from: 0.2, healthy-factor: 2, healthy-windows: 3,"
                                + " healthy-latency: 1s, cool-after-idle: 1min }",
                        Ramp.builder(9, minute)
                                .along(RampCurve.GUAVA)
                                .from(0.2)
                                .unlessHealthy(SECOND, 2, 3)
                                .coolAfterIdle(minute)
                                .build()),
                Arguments.of(
                        "{ name: ramp, limit: 9, period: 1min, healthy-factor: 2, healthy-windows: 3 }",
                        Ramp.builder(9, minute).unlessHealthyAsBefore(2, 3).build()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ name: load-guard, signal: cpu }                              | cpu",
                "{ name: load-guard, signal: nosuch }                           | nosuch",
                "{ name: min, of: [ crest, { name: load-guard, signal: gc } ] } | gc",
                "{ name: queue-delay-pid, target: 50ms }                        | queue-delay"
            })
    void aControllerWithoutItsSignalIsAProblem(String controller, String missing) throws Exception {
        LimitsDocument document =
                read("concurrency: 1, queue: false, adaptive: { signals: memory, controller: " + controller + " }");
        assertEquals(1, document.problems().size(), document.problems()::toString);
        assertEquals(missing, document.problems().get(0).value());
    }

    /** With the same settings in its fields, those of the library where the document has none. */
    @ParameterizedTest
    @MethodSource("controllers")
    void aController(String controller, Controller alike) throws Exception {
        LimitPlan.Adaptive adaptive = Objects.requireNonNull(
                plan("concurrency: 1, queue: 5, adaptive: { signals: [cpu, memory], controller: " + controller + " }")
                        .find(LimitPlan.ADAPTIVE));
        Controller created = adaptive.controller().get();
        assertEquals(StateText.of(alike), StateText.of(created));
        assertNotSame(created, adaptive.controller().get());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    true             | false
                    { instances: 1 } | true
                    { instances: 2 } | false
                    { max: 9 }       | false
                    """)
    void theDefaultControllerIsTheOnlyOneWhereTheDocumentSaysSo(String adaptive, boolean alone) throws Exception {
        Controller created = Objects.requireNonNull(
                        plan("concurrency: 1, adaptive: " + adaptive).find(LimitPlan.ADAPTIVE))
                .controller()
                .get();
        assertEquals(StateText.of(alone ? Crest.alone() : new Crest()), StateText.of(created));
    }

    @Test
    void settingsTellControllersApart() throws Exception {
        assertNotEquals(StateText.of(new Crest()), StateText.of(Crest.alone()));
        assertNotEquals(StateText.of(new Aimd()), StateText.of(new Aimd(0.5)));
        assertNotEquals(StateText.of(new Aimd()), StateText.of(Aimd.byRejections()));
        assertNotEquals(StateText.of(Aimd.byRejections(0.8)), StateText.of(Aimd.byRejections()));
        assertNotEquals(StateText.of(new Vegas(1)), StateText.of(new Vegas(2)));
        assertNotEquals(StateText.of(new QueueDelayPid("a", 1)), StateText.of(new QueueDelayPid("a", 2)));
        assertNotEquals(StateText.of(Min.of(new Aimd())), StateText.of(Min.of(new Aimd(0.5))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "memory", "gc", "pressure", "throttled"})
    void aSignal(String name) throws Exception {
        assertEquals(name, signal(name).name());
        assertEquals(name, signal("{ name: " + name + ", smoothed: 2s }").name());
        assertEquals(
                name,
                signal("{ name: " + name + ", release: 0.1, low: 0.5, high: 0.9 }")
                        .name());
    }

    @Test
    void aSignalIsShaped() throws Exception {
        assertTrue(StateText.of(signal("cpu")).startsWith("CpuSignal"));
        assertTrue(StateText.of(signal("{ name: cpu, smoothed: 2s }")).startsWith("Smoothed"));
        assertTrue(StateText.of(signal("{ name: cpu, low: 0.5, high: 0.9 }")).startsWith("Hysteresis"));
    }

    private static Signal signal(String signal) throws Exception {
        LimitPlan.Adaptive adaptive = Objects.requireNonNull(
                plan("concurrency: 1, adaptive: { signals: [" + signal + "] }").find(LimitPlan.ADAPTIVE));
        return adaptive.signals().get(0).get();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    rate: 1/s, batch: 7 | batch needs batched: true
                    rate: 1/s, burst: 2, initial: 3 | initial must be >= 0 and <= 2, was 3
                    rate: 1/s, algorithm: sliding-window, blocks: 0 | blocks must be >= 1 and <= 10000, was 0
                    rate: 2M/s, algorithm: sliding-log | limit must be >= 1 and <= 1048576, was 2000000
                    concurrency: 3G | concurrency must be >= 1 and <= 2147483647, was 3G
                    concurrency: 1, algorithm: partitioned, lent: 0, percents: { a: 101 } | percents.a must be a whole percentage
                    concurrency: 1, algorithm: partitioned, lent: 0, percents: { a: 60, b: 60 } | sum of percents must be
                    concurrency: 1, algorithm: priority-shedding, reserved: [50, 10] | reservedPercents must be >= 50
                    concurrency: 1, queue: { capacity: 1, discipline: priority } | ageing must be given
                    concurrency: 1, queue: none | queue must be a map, only its capacity, or false, was none
                    concurrency: 1, queue: true | queue must be a map, only its capacity, or false, was true
                    concurrency: 1, adaptive: none | adaptive must be true, or a map with min and max, was none
                    concurrency: 1, adaptive: true, queue: { max-wait: 1s } | queue.capacity must be given
                    concurrency: 1, executor: false | executor.threads must be a whole number
                    concurrency: 1, queue: { capacity: 1, discipline: { name: codel, target: 1s } } | interval must be >= target
                    concurrency: 1, queue: { capacity: 1, discipline: { name: fair-share, weights: { a: 3G } } } | weight of a
                    concurrency: 1, adaptive: { controller: { name: aimd, backoff: 1 } } | backoff must be > 0 and < 1, was 1.0
                    concurrency: 1, adaptive: { controller: { name: aimd, by: rejections, backoff: 0 } } | backoff must be > 0 and < 1, was 0.0
                    concurrency: 1, adaptive: { controller: { name: aimd, by: latency } } | adaptive.controller.by must be one of losses, rejections, was latency
                    concurrency: 1, adaptive: { instances: 0 } | adaptive.instances must be >= 1, was 0
                    concurrency: 1, adaptive: { instances: none } | adaptive.instances must be a whole number
                    concurrency: 1, adaptive: { controller: aimd, instances: 1 } | adaptive.instances must be given without controller, or with crest;
                    concurrency: 1, adaptive: { controller: { name: crest }, instances: 3 } | in others it is { name: crest, instances: 1 }
                    concurrency: 1, adaptive: { controller: { name: aimd, instances: 1 } } | adaptive.controller.instances is not known
                    concurrency: 1, adaptive: { controller: { name: crest, instances: 0 } } | instances must be >= 1, was 0
                    concurrency: 1, adaptive: { controller: { name: min, of: [] } } | of must have at least one controller
                    concurrency: 1, adaptive: { controller: { name: ramp, limit: 1, period: 1s, healthy-factor: 2 } } | together
                    concurrency: 1, adaptive: { signals: [ { name: cpu, low: 1 } ] } | low and high must be given together
                    """)
    void aBadValueIsOneProblem(String limit, String rule) throws Exception {
        List<Problem> problems = read(limit).problems();
        assertEquals(1, problems.size(), problems::toString);
        assertTrue(problems.get(0).toString().contains(rule), problems::toString);
    }
}
