package dev.weir.console;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.Board.Told;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One sample serves all pages, and there is none while nobody looks. */
class SamplingTest {
    private final VirtualTime time = new VirtualTime();
    private final LimiterRegistry registry =
            LimiterRegistry.builder().ticker(time).build();
    private final CountedParts parts = new CountedParts();
    private final Board board = board(1_000);

    private Board board(long startMillis) {
        InstantSource clock = InstantSource.fixed(Instant.ofEpochMilli(startMillis));
        return new Board(registry, parts, time, clock, "{}");
    }

    @AfterEach
    void close() {
        registry.close();
    }

    @Test
    void aPageGetsWhatHasChangedSinceItsSample() {
        registry.limiter("checkout", new Semaphore(20));
        registry.limiter("search", TokenBucket.of(10, Duration.ofSeconds(1)));
        board.sample();
        Told first = board.whole();
        assertTrue(first.isWhole());
        assertTrue(first.json().contains("\"name\":\"checkout\",\"kind\":\"concurrency\",\"limit\":20,\"inFlight\":0"));
        assertTrue(first.json().contains("\"name\":\"search\",\"kind\":\"rate\",\"limit\":10,\"enforced\""));
        board.sample();
        Told nothing = board.since(first.id());
        assertFalse(nothing.isWhole());
        assertTrue(nothing.json().contains("\"rows\":[]"), nothing.json());
        registry.limiter("search", TokenBucket.of(11, Duration.ofSeconds(1)));
        registry.limiter("mail", new Semaphore(1));
        board.sample();
        String news = board.since(nothing.id()).json();
        assertTrue(news.contains("mail") && news.contains("\"limit\":11") && !news.contains("checkout"), news);
        assertEquals(
                news.replaceFirst("\"id\":.*", ""),
                board.since(first.id()).json().replaceFirst("\"id\":.*", ""));
    }

    @Test
    void aPageThatKnowsASampleOfAnotherConsoleGetsEverything() {
        board.sample();
        long id = board.whole().id();
        assertTrue(board.since(id + 1).isWhole());
        assertTrue(board.since(0).isWhole());
        assertFalse(board.since(id).isWhole());
        Board restarted = board(100_000);
        restarted.sample();
        assertTrue(restarted.since(id).isWhole());
    }

    @Test
    void rowsSayRequestsASecond() {
        registry.limiter("checkout", new Semaphore(1));
        var observing = registry.names().observe(parts);
        await().until(() -> parts.counts("checkout") != null);
        board.sample();
        for (int i = 0; i < 30; i++) {
            time.advance(Duration.ofMillis(100));
            registry.limiter("checkout").run(() -> {});
            if (i % 5 == 4) {
                board.sample();
            }
        }
        String json = board.whole().json();
        assertTrue(json.contains("\"admitted\":10,\"refused\":0"), json);
        observing.close();
    }

    @Test
    void nothingIsSampledCountedOrRecordedWhileNobodyLooks() throws Exception {
        var checkout = registry.limiter("checkout", new Semaphore(20));
        Sampling sampling =
                new Sampling(registry, board, parts, new ConsolePages.Options(registry).ticker, 0, news -> {});
        sampling.open();
        assertTrue(board.whole().json().contains("checkout"));
        await().untilAsserted(() -> {
            checkout.run(() -> {});
            assertTrue(parts.totals("checkout").admitted() > 0);
        });
        sampling.closeOne();
        await().until(() -> parts.counts("checkout") == null);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("weir-console-sampler")
                        || thread.getName().equals("weir-recorder")));
        long id = board.whole().id();
        assertEquals(id, board.whole().id());
        sampling.look();
        assertTrue(board.whole().id() > id);
        sampling.close();
    }
}
