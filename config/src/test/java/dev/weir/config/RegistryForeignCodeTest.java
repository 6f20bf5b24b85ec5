package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.Readers;
import dev.weir.engine.LimiterView;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What algorithms, signals, executors and listeners of others may do to a registry. */
class RegistryForeignCodeTest extends RegistryFixture {
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
            assertEquals(3, queue(registry).capacity());
            assertEquals(4, granted(registry.limiter("c")));
            assertEquals(5, granted(registry.limiter("d")));
            assertFalse(registry.names().names().contains("b"));
        }
        left.set(100);
        write("values: { n: 3 }\nlimits: { " + wanted + ", b: { algorithm: mine, size: 8 }, d: { concurrency: 5 } }");
        assertEquals(List.of(), assertInstanceOf(Changed.class, last()).problems());
        assertEquals(7, granted(registry.limiter("a")));
        assertEquals(8, granted(registry.limiter("b")));
        assertEquals(9, queue(registry).capacity());
    }

    private static QueueSpec queue(LimiterRegistry registry) {
        return Objects.requireNonNull(Objects.requireNonNull(
                                registry.names().table().entry("a").local())
                        .queue())
                .spec();
    }

    @Test
    void settingsThatCannotReturnAfterAnOverrideAreReported() {
        AtomicInteger creations = new AtomicInteger(1000);
        LimiterRegistry registry = registry("limits: {}");
        NamedLimiter limiter = registry.limiter("a", new Fragile(2, creations));
        Registration override = registry.override("a", "concurrency: 5", Duration.ofHours(1), "ann", "sale");
        assertEquals(5, granted(limiter));
        creations.set(0);
        override.close();
        assertEquals(
                "a", assertInstanceOf(Refused.class, last()).problems().get(0).limiter());
        creations.set(1000);
        write("limits: { a: { concurrency: 3 } }");
        assertEquals(3, granted(limiter));
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
        assertEquals(2, ((Semaphore) registry.limiter("a").snapshot().spec()).limit());
        assertEquals(9, registry.limiter("a").status().control().bounds().max());
        assertEquals(3, granted(registry.limiter("b")));
        broken.set(false);
        write("limits: { a: { concurrency: 4, adaptive: { min: 3, max: 12, signals: mine } }, b: { concurrency: 4 } }");
        assertEquals(4, ((Semaphore) registry.limiter("a").snapshot().spec()).limit());
        assertEquals(12, registry.limiter("a").status().control().bounds().max());
        registry.close();
    }

    /** The next settings fail in their last part; those before them may or may not be built again. */
    @Test
    void settingsThatFailInTheirLastPartEndTheChange() {
        AtomicInteger creations = new AtomicInteger(1000);
        AtomicInteger signals = new AtomicInteger(1000);
        source.write("limits: { a: { algorithm: mine, size: 2 } }");
        LimiterRegistry registry = registry(Readers.with(
                new ForeignFactories.Algorithm("mine", size -> new Fragile(size, creations)),
                new ForeignFactories.Sensor("mine", () -> {
                    if (signals.getAndDecrement() <= 0) {
                        throw new LinkageError("no such sensor");
                    }
                    return new Still();
                })));
        for (int left = 1; left < 8; left++) {
            creations.set(1000);
            write("limits: { a: { algorithm: mine, size: 2 } }\nvalues: { n: " + left + " }");
            signals.set(1);
            creations.set(left);
            write(
                    "limits: { a: { algorithm: mine, size: 7, adaptive: { min: 1, max: 9, signals: mine } } }\nvalues: { m: "
                            + left + " }");
            assertEquals(
                    "a",
                    assertInstanceOf(Changed.class, last()).problems().get(0).limiter());
        }
        creations.set(1000);
        write("limits: { a: { algorithm: mine, size: 5 } }");
        assertEquals(5, granted(registry.limiter("a")));
    }

    private record Still() implements Signal {
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
            registry.names().onEvent(heard::set);
            for (int i = 2; i < 5; i++) {
                source.write("limits: { a: { concurrency: " + i + " } }");
                int wanted = i;
                await().until(() -> granted(registry.limiter("a")) == wanted && heard.get() instanceof Changed);
            }
        } finally {
            release.countDown();
        }
    }

    @Test
    void anObserverThatHangsStopsNothingAndMissesNothing() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        List<String> told = new CopyOnWriteArrayList<>();
        source.write("limits: {}");
        try (LimiterRegistry registry = LimiterRegistry.builder().source(source).build()) {
            Registration unused = registry.names().observe(new RegistryObserver() {
                @Override
                public Registration onLimiter(LimiterView limiter) {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    told.add(limiter.name());
                    return () -> told.remove(limiter.name());
                }
            });
            for (int i = 2; i < 5; i++) {
                source.write("limits: { a: { concurrency: " + i + " }, b" + i + ": { concurrency: 1 } }");
                String added = "b" + i;
                await().until(() -> registry.names().names().contains(added));
                assertEquals(i, granted(registry.limiter("a")));
            }
            source.write("removed: [b2, b3]\nlimits: { a: { concurrency: 9 }, b4: { concurrency: 1 } }");
            await().until(() -> granted(registry.limiter("a")) == 9);
            assertEquals(List.of(), told);
            release.countDown();
            await().until(() -> Set.copyOf(told).equals(Set.of("a", "b4")) && told.size() == 2);
        } finally {
            release.countDown();
        }
    }
}
