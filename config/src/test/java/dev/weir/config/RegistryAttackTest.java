package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.ConfigEvent.Changed;
import dev.weir.config.ConfigEvent.Refused;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.document.Problem;
import dev.weir.config.document.Readers;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What code and documents may do to a registry at an unlucky moment, and what foreign code may do. */
@Timeout(60)
class RegistryAttackTest {
    private final VirtualTime time = new VirtualTime();
    private final MemorySource source = new MemorySource();
    private final List<ConfigEvent> events = new ArrayList<>();

    private LimiterRegistry.Builder builder() {
        return LimiterRegistry.builder()
                .source(source)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .instance("one")
                .startWithin(Duration.ZERO)
                .onEvent(events::add);
    }

    private LimiterRegistry registry(DocumentReader reader) {
        LimiterRegistry.Builder builder = builder();
        builder.reader = reader;
        return builder.build();
    }

    private void write(String document) {
        source.write(document);
        time.advance(Duration.ofSeconds(2));
    }

    private ConfigEvent last() {
        return events.get(events.size() - 1);
    }

    private static int granted(ManagedLimiter limiter) {
        List<Permit> permits = new ArrayList<>();
        Decision decision = limiter.tryAcquire();
        while (decision instanceof Permit permit && permits.size() < 5000) {
            permits.add(permit);
            decision = limiter.tryAcquire();
        }
        permits.forEach(permit -> permit.release(Outcome.IGNORED));
        return permits.size();
    }

    private static Reading half(String yaml) {
        return Reading.of(yaml.getBytes(StandardCharsets.UTF_8), Format.YAML);
    }

    @Test
    void capsHoldAlsoIfTheyAreDeclaredWhileADocumentIsApplied() throws Exception {
        LimiterTable table = new LimiterTable(Environment.of(time, time, null));
        LimitsDocument document = DocumentReader.system()
                .read("d", "limits: { a: { concurrency: 50 } }".getBytes(StandardCharsets.UTF_8), Format.YAML);
        List<Problem> problems = new ArrayList<>();
        var plans = table.buildable("d", document, problems);
        ManagedLimiter limiter = table.declare("a", new Semaphore(3), Caps.concurrency(10), rule -> {})
                .limiter();
        table.apply("d", plans, document, problems);
        assertEquals(3, granted(limiter));
        assertEquals(1, problems.size());
    }

    @Test
    void higherCapsLetTheDocumentInForce() {
        source.write("limits: { a: { concurrency: 50 } }");
        LimiterRegistry registry = builder().build();
        ManagedLimiter limiter = registry.limiter("a", new Semaphore(3), Caps.concurrency(10));
        assertEquals(3, granted(limiter));
        registry.limiter("a", new Semaphore(3), Caps.concurrency(60));
        assertEquals(50, granted(limiter));
        registry.limiter("a", new Semaphore(3), Caps.concurrency(10));
        assertEquals(3, granted(limiter));
        write("limits: { a: { concurrency: 50, queue: 3 } }");
        assertEquals(3, granted(limiter));
        registry.limiter("a", new Semaphore(3), Caps.concurrency(100));
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
        ManagedLimiter limiter = registry.limiter("a", new Semaphore(7), Caps.rate(10, Duration.ofSeconds(1)));
        write("templates: { t: { rate: 11/s } }\nlimits: { a: " + tooMuch + " }");
        List<Problem> problems = assertInstanceOf(Changed.class, last()).problems();
        assertFalse(problems.isEmpty(), tooMuch);
        assertTrue(problems.toString().contains("declared in code"), problems::toString);
        assertEquals("TokenBucket", limiter.spec().getClass().getSimpleName());
        assertEquals(7, granted(limiter));
        assertTrue(registry.control("a").isEmpty());
    }

    @Test
    void anAdaptedRateWithinItsCapIsInForce() {
        source.write("limits: { a: { rate: 5/s, adaptive: { min: 2, max: 10 } } }");
        LimiterRegistry registry = builder().build();
        registry.limiter("a", new Semaphore(7), Caps.rate(10, Duration.ofSeconds(1)));
        assertTrue(registry.control("a").isPresent());
        write("limits: { a: { rate: 6/s } }");
        assertEquals(6, granted(registry.limiter("a")));
        assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
    }

    @Test
    void aControlledLimitMayBecomeARateAndBack() {
        source.write("limits: { a: { concurrency: 5, adaptive: { min: 2, max: 10 } } }");
        LimiterRegistry registry = builder().build();
        for (String other : List.of(
                "{ rate: 6/s }",
                "{ concurrency: 6, adaptive: { min: 3, max: 9 } }",
                "{ all-of: [ { concurrency: 6 }, { rate: 100/s } ], adaptive: { min: 3, max: 9 } }",
                "{ concurrency: 6 }",
                "{ rate: 6/s, adaptive: { min: 3, max: 9 } }",
                "{ algorithm: sliding-window, rate: 6/s }")) {
            write("limits: { a: " + other + " }");
            assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems(), other);
            time.advance(Duration.ofSeconds(10));
            int granted = granted(registry.limiter("a"));
            assertTrue(other.contains("adaptive") ? granted >= 3 && granted <= 9 : granted == 6, other + granted);
        }
    }

    @Test
    void whatIsAppliedWhileTheRegistryClosesIsClosedToo() {
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().build();
        List<ManagedLimiter> made = new ArrayList<>();
        registry.observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(ManagedLimiter limiter) {
                made.add(limiter);
                if (limiter.name().equals("b")) {
                    registry.close();
                }
                return () -> {};
            }
        });
        write("limits: { a: { concurrency: 1 }, b: { concurrency: 1 }, c: { concurrency: 1, adaptive: true } }");
        for (String name : registry.names()) {
            assertInstanceOf(Rejection.class, registry.limiter(name).tryAcquire(), name);
            assertTrue(registry.control(name).isEmpty(), name);
        }
        made.forEach(limiter -> assertInstanceOf(Rejection.class, limiter.tryAcquire(), limiter.name()));
    }

    /** Creates strategies as long as it is asked to. */
    private record Fragile(long size, AtomicInteger creationsLeft) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            if (creationsLeft.getAndDecrement() <= 0) {
                throw new AssertionError("no more");
            }
            return new Semaphore(size).create(ticker);
        }
    }

    @Test
    void anAlgorithmThatFailsLateKeepsTheLastGoodSettingsAndIsTriedAgain() {
        AtomicInteger left = new AtomicInteger(100);
        source.write("limits: { a: { concurrency: 2, queue: 3 } }");
        LimiterRegistry registry =
                registry(Readers.with(new ForeignFactories.Algorithm("mine", size -> new Fragile(size, left))));
        String wanted = "a: { algorithm: mine, size: 7, queue: 9 }, c: { concurrency: 4 }";
        for (int creations = 0; creations < 2; creations++) {
            left.set(creations);
            write("values: { n: " + creations + " }\nlimits: { " + wanted
                    + ", b: { algorithm: mine, size: 8 }, d: { concurrency: 5 } }");
            Changed changed = assertInstanceOf(Changed.class, last(), "" + creations);
            assertEquals(
                    List.of("a", "b"),
                    changed.problems().stream()
                            .map(Problem::limiter)
                            .distinct()
                            .sorted()
                            .toList());
            assertEquals(2, granted(registry.limiter("a")));
            assertEquals(3, registry.queue("a").spec().capacity());
            assertEquals(4, granted(registry.limiter("c")));
            assertEquals(5, granted(registry.limiter("d")));
            assertFalse(registry.names().contains("b"));
        }
        left.set(100);
        write("values: { n: 3 }\nlimits: { " + wanted + ", b: { algorithm: mine, size: 8 }, d: { concurrency: 5 } }");
        assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
        assertEquals(7, granted(registry.limiter("a")));
        assertEquals(8, granted(registry.limiter("b")));
        assertEquals(9, registry.queue("a").spec().capacity());
    }

    @Test
    void aSignalThatCannotBeCreatedKeepsTheLastGoodSettings() {
        AtomicBoolean broken = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        source.write("limits: { a: { concurrency: 2, enforce: 1, adaptive: { min: 1, max: 9 } } }");
        LimiterRegistry registry = registry(Readers.with(new ForeignFactories.Sensor("mine", () -> {
            if (calls.getAndIncrement() > 0 && broken.get()) {
                throw new LinkageError("no such sensor");
            }
            return new Still();
        })));
        broken.set(true);
        write("limits: { a: { concurrency: 4, adaptive: { min: 3, max: 12, signals: mine } }, b: { concurrency: 3 } }");
        assertEquals(
                "a", assertInstanceOf(Changed.class, last()).problems().get(0).limiter());
        assertEquals(2, ((Semaphore) registry.limiter("a").spec()).limit());
        assertEquals(9, registry.control("a").orElseThrow().snapshot().bounds().max());
        assertEquals(3, granted(registry.limiter("b")));
        broken.set(false);
        write("limits: { a: { concurrency: 4, adaptive: { min: 3, max: 12, signals: mine } }, b: { concurrency: 4 } }");
        assertEquals(4, ((Semaphore) registry.limiter("a").spec()).limit());
        assertEquals(12, registry.control("a").orElseThrow().snapshot().bounds().max());
        registry.close();
    }

    private record Still() implements dev.weir.adaptive.Signal {
        @Override
        public String name() {
            return "mine";
        }

        @Override
        public double read() {
            return 0;
        }
    }

    @Test
    void anExecutorOfTheUserIsNotShutDown() {
        ExecutorService mine = Executors.newSingleThreadExecutor();
        try {
            LimiterRegistry.builder()
                    .executor(mine)
                    .onEvent(events::add)
                    .build()
                    .close();
            assertFalse(mine.isShutdown());
        } finally {
            mine.shutdownNow();
        }
    }

    @Test
    void anExecutorThatRefusesCostsNoReport(@TempDir Path directory) {
        AtomicBoolean refusing = new AtomicBoolean();
        AtomicInteger calls = new AtomicInteger();
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder()
                .lastGood(directory.resolve("last-good"))
                .executor(work -> {
                    if (refusing.get() && calls.getAndIncrement() > 0) {
                        throw new RejectedExecutionException("full");
                    }
                    work.run();
                })
                .build();
        time.advance(Duration.ofSeconds(5));
        refusing.set(true);
        source.write("limits: { a: { concurrency: 2 } }");
        assertEquals(2, granted(registry.limiter("a")));
        assertTrue(events.stream().filter(Changed.class::isInstance).count() == 2, events::toString);
        refusing.set(false);
        write("limits: { a: { concurrency: 3 } }");
        registry.close();
        source.goAway();
        LimiterRegistry again =
                builder().lastGood(directory.resolve("last-good")).build();
        assertEquals(3, granted(again.limiter("a")));
    }

    @Test
    void aFirstDocumentThatTurnsOutToBeWholeIsKept(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        source.put(half("document: { version: 3 }\nlimits:\n  a: { concurrency: 3 }\n"));
        LimiterRegistry before = builder().lastGood(file).build();
        assertFalse(Files.exists(file));
        int told = events.size();
        source.put(half("document: { version: 3 }\nlimits:\n  a: { concurrency: 3 }\n")
                .whole());
        time.advance(Duration.ofSeconds(2));
        assertTrue(Files.exists(file));
        assertEquals(told, events.size());
        write("document: { version: 3 }\nlimits: { a: { concurrency: 30 } }");
        assertInstanceOf(Refused.class, last());
        assertEquals(3, granted(before.limiter("a")));
        before.close();
    }

    @Test
    void anInstanceSaysWhatItRunsAlsoAfterARestartAndAfterABadDocumentWasTakenBack(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        String good = "document: { version: 3 }\nlimits: { a: { concurrency: 3 } }";
        source.write(good);
        LimiterRegistry before = builder().lastGood(file).build();
        write("limits: rubbish");
        write(good);
        assertEquals(
                InstanceStatus.Result.ACCEPTED,
                source.acknowledged.get(source.acknowledged.size() - 1).result());
        before.close();
        source.acknowledged.clear();
        builder().lastGood(file).build();
        time.advance(Duration.ofSeconds(2));
        assertEquals(1, source.acknowledged.size());
        assertEquals("3", source.acknowledged.get(0).version());
    }

    @Test
    void theSameDocumentAtAHigherRevisionMovesTheRevisionForward() {
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().build();
        source.write("limits: { a: { concurrency: 1 } }");
        source.write("limits: { a: { concurrency: 1 } }");
        source.put(half("limits: { a: { concurrency: 2 } }").revision(2).whole());
        time.advance(Duration.ofSeconds(2));
        assertInstanceOf(Refused.class, last());
        assertEquals(1, granted(registry.limiter("a")));
    }

    @Test
    void aStormOfDocumentsIsKeptOnceASecond(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        int written = 0;
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder().lastGood(file).build();
        for (int i = 2; i <= 1000; i++) {
            source.write("limits: { a: { concurrency: " + i + " } }");
            time.advance(Duration.ofMillis(10));
            written += Files.deleteIfExists(file) ? 1 : 0;
        }
        assertTrue(written >= 9 && written <= 12, "written " + written);
        time.advance(Duration.ofSeconds(2));
        assertTrue(Files.readString(file).contains("1000"));
        registry.close();
    }

    @Test
    void aListenerThatHangsStopsNothing() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicReference<ConfigEvent> heard = new AtomicReference<>();
        source.write("limits: { a: { concurrency: 1 } }");
        try (LimiterRegistry registry = LimiterRegistry.builder()
                .source(source)
                .onEvent(event -> {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .build()) {
            registry.onEvent(heard::set);
            for (int i = 2; i < 5; i++) {
                source.write("limits: { a: { concurrency: " + i + " } }");
                int wanted = i;
                org.awaitility.Awaitility.await()
                        .until(() -> granted(registry.limiter("a")) == wanted && heard.get() instanceof Changed);
            }
        } finally {
            release.countDown();
        }
    }

    @Test
    void aDeclarationDuringARemovalIsNotLost() throws Exception {
        source.write("limits: {}");
        LimiterRegistry registry = builder().build();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 3000; i++) {
                String name = "a" + i;
                source.write("limits: { " + name + ": { concurrency: 3 } }");
                java.util.concurrent.CyclicBarrier together = new java.util.concurrent.CyclicBarrier(2);
                var declared = other.submit(() -> {
                    together.await();
                    return registry.limiter(name, new Semaphore(2));
                });
                together.await();
                source.write("limits: {}");
                ManagedLimiter limiter = declared.get();
                assertEquals(2, granted(limiter), name);
                assertEquals(2, granted(registry.limiter(name)), name);
            }
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void aLastGoodThatCannotBeKeptIsReportedOnceAndTriedAgain(@TempDir Path directory) throws Exception {
        Path missing = directory.resolve("missing");
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry =
                builder().lastGood(missing.resolve("last-good")).build();
        for (int i = 2; i < 20; i++) {
            write("limits: { a: { concurrency: " + i + " } }");
            assertEquals(i, granted(registry.limiter("a")));
        }
        assertEquals(1, events.stream().filter(Refused.class::isInstance).count(), events::toString);
        Files.createDirectory(missing);
        time.advance(Duration.ofSeconds(2));
        assertTrue(Files.readString(missing.resolve("last-good")).contains("19"));
        registry.close();
    }

    @Test
    void tenThousandLimitsComeChangeAndGo() {
        source.write("limits: {}");
        LimiterRegistry registry = builder().build();
        AtomicInteger bound = new AtomicInteger();
        registry.observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(ManagedLimiter limiter) {
                bound.incrementAndGet();
                return bound::decrementAndGet;
            }
        });
        for (int concurrency = 1; concurrency < 4; concurrency++) {
            StringBuilder document = new StringBuilder("limits:\n");
            for (int i = 0; i < 10_000; i++) {
                document.append("  l").append(i).append(": { concurrency: ");
                document.append(concurrency).append(", queue: 3 }\n");
            }
            write(document.toString());
            assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
            assertEquals(10_000, bound.get());
            assertEquals(concurrency, granted(registry.limiter("l9999")));
        }
        write("limits: {}");
        assertEquals(0, bound.get());
        assertEquals(List.of(), registry.names());
    }

    @Test
    void aQueueFollowsItsLimitFromConcurrencyToARateAndBack() {
        source.write("limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: 1h } } }");
        LimiterRegistry registry = builder().build();
        AdmissionQueue queue = registry.queue("a");
        Permit held = assertInstanceOf(Permit.class, queue.tryAcquire(Request.ONE));
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(queue.acquireAsync(Request.ONE));
        }
        write("limits: { a: { rate: 1/s, queue: { capacity: 9, max-wait: 1h } } }");
        time.advance(Duration.ofMillis(400));
        long granted = 6 - queue.snapshot().length();
        assertTrue(granted >= 2 && granted <= 4, "granted " + granted);
        write("limits: { a: { concurrency: 9, queue: { capacity: 9, max-wait: 1h } } }");
        waiting.forEach(each -> ((Permit) each.join()).release(Outcome.SUCCESS));
        held.release(Outcome.SUCCESS);
        assertEquals(0, registry.limiter("a").inFlight());
        assertEquals(9, granted(registry.limiter("a")));
    }

    @Test
    void instancesAreSpreadEvenly() {
        int[] tenths = new int[10];
        for (int i = 0; i < 10_000; i++) {
            tenths[(int) (InstanceShare.of("pod-" + i, "checkout") / 10)]++;
        }
        for (int tenth : tenths) {
            assertTrue(tenth > 850 && tenth < 1150, () -> java.util.Arrays.toString(tenths));
        }
    }

    @Test
    void racesOfAllThatARegistryOffersLeaveNothingOpen() throws Exception {
        List<ManagedLimiter> seen = new CopyOnWriteArrayList<>();
        AtomicInteger bound = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int round = 0; round < 60; round++) {
            source.write("limits: { a: { concurrency: 1 } }");
            LimiterRegistry registry = builder().onEvent(event -> {}).build();
            List<Runnable> calls = List.of(
                    () -> source.write("limits: { b: { concurrency: 2, queue: 2, adaptive: true } }"),
                    () -> source.write("limits: { a: { rate: 2/s }, c: { concurrency: 1, executor: { threads: 1 } } }"),
                    () -> registry.limiter("b", new Semaphore(3)),
                    () -> registry.names().forEach(name -> {
                        seen.add(registry.limiter(name));
                        registry.queue(name).tryAcquire(Request.ONE);
                    }),
                    () -> registry.executor("c").execute(() -> {}),
                    () -> registry.observe(new RegistryObserver() {
                        @Override
                        public Registration onLimiter(ManagedLimiter limiter) {
                            bound.incrementAndGet();
                            return bound::decrementAndGet;
                        }
                    }));
            List<Thread> threads = new ArrayList<>();
            for (Runnable call : calls) {
                threads.add(new Thread(() -> repeat(call, failure)));
            }
            threads.forEach(Thread::start);
            Thread closing = new Thread(registry::close);
            closing.start();
            for (Thread thread : threads) {
                thread.join();
            }
            closing.join();
            registry.names()
                    .forEach(name -> assertInstanceOf(
                            Rejection.class, registry.limiter(name).tryAcquire(), name));
            assertEquals(0, bound.get());
            seen.forEach(limiter -> assertInstanceOf(Rejection.class, limiter.tryAcquire(), limiter.name()));
            seen.clear();
            assertNull(failure.get());
        }
    }

    private static void repeat(Runnable call, AtomicReference<Throwable> failure) {
        for (int i = 0; i < 20; i++) {
            try {
                call.run();
            } catch (IllegalArgumentException | IllegalStateException | RejectedExecutionException expected) {
                // The name is gone, or the registry is closed.
            } catch (Throwable t) {
                failure.set(t);
            }
        }
    }
}
