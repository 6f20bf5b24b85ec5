package dev.weir.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.StateLimits;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.PostgresServer;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PostgreSQL is killed, halted and replaced under load. No call of a caller fails, and no more is granted than documented. */
@Tag("real-time")
@Needs(Server.POSTGRES)
class PostgresNemesisTest {
    private static final long RATE = 200;
    private static final long BURST = 500;
    private static final int ROUNDS = Stress.of(2, 5, 100);
    private static final long LOST = 100;
    private static final TokenBucket LIMIT =
            TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST);

    private final Ticker ticker = Ticker.system();
    private final long start = ticker.read();
    private final List<StoreRateLimiter> limiters = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final LongAdder granted = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private volatile boolean ended;

    @AfterEach
    void close() throws Exception {
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        for (AutoCloseable one : opened) {
            one.close();
        }
        opened.clear();
    }

    /** Two instances. */
    private void load(String url, WhenAway whenAway) {
        for (int i = 0; i < 2; i++) {
            JdbcStore store =
                    JdbcStore.builder(Database.source(url)).createTable().build();
            StoreRateLimiter limiter = new StateLimits(store)
                    .limiter("nemesis", LIMIT, whenAway, options -> options.timeout(Duration.ofMillis(200)));
            opened.add(limiter);
            opened.add(store);
            limiters.add(limiter);
            for (int each = 0; each < 2; each++) {
                Thread thread = new Thread(() -> ask(limiter));
                threads.add(thread);
                thread.start();
            }
        }
        awaitBack();
    }

    private void ask(StoreRateLimiter limiter) {
        while (!ended) {
            try {
                if (limiter.acquire(Request.ONE, Duration.ZERO) instanceof Permit permit) {
                    granted.increment();
                    permit.release(Outcome.SUCCESS);
                }
            } catch (Throwable t) {
                thrown.add(t);
            }
            calls.increment();
            LockSupport.parkNanos(500_000);
        }
    }

    /** Until the store answers all instances. */
    private void awaitBack() {
        long before = answers();
        await().atMost(Duration.ofMinutes(5))
                .until(() -> answers() > before + 20
                        && limiters.stream()
                                .allMatch(limiter -> limiter.status().up()));
    }

    private long answers() {
        return limiters.stream()
                .mapToLong(limiter -> limiter.status().answers())
                .min()
                .orElse(0);
    }

    private static void park(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void check(String name, long more) throws Exception {
        close();
        assertEquals(List.of(), new ArrayList<>(thrown), name);
        long most = BURST + more + RATE * (ticker.read() - start) / 1_000_000_000 + 1;
        System.out.printf("FIGURE %s: %,d calls, %,d granted of at most %,d%n", name, calls.sum(), granted.sum(), most);
        assertTrue(granted.sum() <= most, () -> granted.sum() + " > " + most);
        assertTrue(granted.sum() > BURST / 10, () -> "only " + granted.sum());
    }

    private void attack(PostgresServer server) {
        for (int round = 0; round < ROUNDS; round++) {
            server.kill();
            park(100 * round % 700);
            server.start();
            awaitBack();
            server.pause();
            park(1_500);
            server.resume();
            awaitBack();
        }
    }

    @Test
    void D1_D4_D6_D8_killsAndHaltsGrantNothingMoreAndReachNoCaller() throws Exception {
        try (PostgresServer server = PostgresServer.started()) {
            load(server.url(), WhenAway.closed());
            attack(server);
            check("kills and halts, closed", 0);
        }
    }

    /** Each instance grants its half, which counts what the store granted to it, and tells the store afterwards. */
    @Test
    void D1_D4_D6_D8_norDoInstancesThatGrantTheirParts() throws Exception {
        try (PostgresServer server = PostgresServer.started()) {
            load(server.url(), WhenAway.local(2));
            attack(server);
            check("kills and halts, local", BURST);
        }
    }

    /** The permits of lost writes are granted again, and no others. */
    @Test
    void D6_D8_aFailOverThatLosesWritesGrantsThemAgain() throws Exception {
        try (PostgresServer server = PostgresServer.started();
                PostgresServer replica = server.replica()) {
            load(
                    "jdbc:postgresql://127.0.0.1:" + server.port() + ",127.0.0.1:" + replica.port()
                            + "/postgres?user=weir&targetServerType=primary&connectTimeout=1",
                    WhenAway.closed());
            await().until(() -> granted.sum() > BURST);
            replica.kill();
            long before = granted.sum();
            await().until(() -> granted.sum() > before + LOST);
            server.kill();
            replica.start();
            replica.promote();
            long lost = granted.sum() - before;
            awaitBack();
            await().until(() -> granted.sum() > before + lost + LOST);
            check("fail-over that loses writes", lost);
        }
    }
}
