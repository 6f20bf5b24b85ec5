package dev.weir.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsoleClient.Response;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A limit whose code throws an error and not an exception: all others are shown as before. */
class ForeignErrorsTest {
    private final LimiterRegistry registry = LimiterRegistry.builder().build();
    private volatile Runnable reading = () -> {};
    private volatile Runnable splitting = () -> {};

    /** A semaphore of an author. */
    private record Foreign(Runnable reading, Runnable splitting) implements StrategySpec {
        @Override
        public List<StrategySpec> parts() {
            splitting.run();
            return List.of(this);
        }

        @Override
        public Strategy create(Ticker ticker) {
            Strategy inner = new Semaphore(3).create(ticker);
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    return inner.acquire(request);
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inner.release(request, outcome);
                }

                @Override
                public Account account() {
                    return inner.account();
                }

                @Override
                public long limit() {
                    return inner.limit();
                }

                @Override
                public void setLimit(long limit) {
                    inner.setLimit(limit);
                }

                @Override
                public Map<String, Long> details() {
                    reading.run();
                    return Map.of();
                }
            };
        }
    }

    @BeforeEach
    void declare() {
        registry.limiter("bad", new Foreign(() -> reading.run(), () -> splitting.run()));
        registry.limiter("checkout", new Semaphore(20));
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private static String rows(ConsolePages pages) {
        return new String(
                pages.answer("GET", "api/rows", null, new byte[0], "ann", false).body(), StandardCharsets.US_ASCII);
    }

    @Test
    void oneThreadGoesOnSampling() {
        Set<Thread> samplers = ConcurrentHashMap.newKeySet();
        try (ConsolePages pages = ConsolePages.of(registry)) {
            assertTrue(rows(pages).contains("checkout"));
            reading = () -> {
                if (Thread.currentThread().getName().equals("weir-console-sampler")) {
                    samplers.add(Thread.currentThread());
                    Thread.currentThread().interrupt();
                }
                throw new AssertionError("of the author");
            };
            long id = pages.board().whole().id();
            registry.limiter("search", new Semaphore(3));
            await().until(() -> pages.board().whole().id() > id + 2);
            assertTrue(rows(pages).contains("search"));
        }
        assertEquals(1, samplers.size());
    }

    @Test
    void aRecorderThatFailsOnceIsAskedAgain() {
        AtomicBoolean fails = new AtomicBoolean(true);
        VirtualTime time = new VirtualTime();
        Ticker ticker = () -> {
            if (Thread.currentThread().getName().equals("weir-console-sampler") && fails.getAndSet(false)) {
                throw new AssertionError("of the author");
            }
            return time.read();
        };
        try (LimiterRegistry other = LimiterRegistry.builder().ticker(ticker).build();
                ConsolePages pages = ConsolePages.of(other)) {
            other.limiter("checkout", new Semaphore(20));
            assertTrue(rows(pages).contains("checkout"));
        }
        assertFalse(fails.get());
    }

    @Test
    void theLinesOfAllOthersAreMade() {
        try (ConsolePages pages = ConsolePages.of(registry)) {
            splitting = () -> {
                throw new AssertionError("of the author");
            };
            for (int i = 0; i < 10; i++) {
                registry.limiter("search-" + i, new Semaphore(3));
            }
            String rows = rows(pages);
            for (int i = 0; i < 10; i++) {
                assertTrue(rows.contains("search-" + i), rows);
            }
        }
    }

    @Test
    void theRequestIsAnsweredAndSoIsTheNext() throws Exception {
        try (Console console = Console.start(registry)) {
            ConsoleClient page = new ConsoleClient(console.uri()).login(console.tokenFile());
            reading = () -> {
                throw new AssertionError("of the author");
            };
            Response answer = page.get("api/limit?name=bad");
            assertEquals(500, answer.status());
            assertTrue(answer.body().contains("AssertionError"), answer::body);
            assertEquals(200, page.get("api/limit?name=checkout").status());
        }
    }
}
