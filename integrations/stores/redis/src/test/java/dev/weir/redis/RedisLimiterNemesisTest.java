package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.Mode;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.StoreRateLimiterBuilder;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.RedisSentinels;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.ScriptedRedis;
import dev.weir.testservers.ScriptedRedis.Answer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Servers that are killed, halted, emptied and replaced under load, and one that answers every error. */
@Tag("real-time")
@Timeout(3_600)
@Needs(Server.REDIS)
class RedisLimiterNemesisTest {
    private static final Duration TIMEOUT = Duration.ofMillis(50);
    private static final long RATE = 200;
    private static final long BURST = 1_000;
    private static final int KILLS = Stress.of(2, 5, 1_000);
    private static final int PAUSES = Stress.of(3, 5, 1_000);
    private static final int FLUSHES = Stress.of(10, 100, 10_000);
    private static final int FAIL_OVERS = Stress.of(0, 2, 50);
    private static final int CALM_MILLIS = Stress.of(0, 500, 500);
    private static final int ROUNDS = Stress.of(1, 10, 100);

    /** What the servers are asked to do meanwhile is in {@link RedisOnSentinelsTest} and {@link RedisOnClusterTest}. */
    private static void onlyIfLonger() {
        assumeTrue(FAIL_OVERS > 0, "in the short form");
    }

    private final Ticker ticker = Ticker.system();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<StoreRateLimiter> limiters = new ArrayList<>();
    private long slowest;

    /** Two instances. */
    private NemesisLoad load(String uri, WhenAway whenAway, UnaryOperator<StoreRateLimiterBuilder> options) {
        return load(uri, TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST), whenAway, options);
    }

    private NemesisLoad load(
            String uri, TokenBucket limit, WhenAway whenAway, UnaryOperator<StoreRateLimiterBuilder> options) {
        for (int i = 0; i < 2; i++) {
            Redis redis = Redis.connect(uri);
            opened.add(redis);
            StoreRateLimiter limiter = RedisLimiters.of(
                    "nemesis", limit, redis, whenAway, builder -> options.apply(builder.timeout(TIMEOUT)));
            opened.add(0, limiter);
            limiters.add(limiter);
        }
        NemesisLoad load = NemesisLoad.of(limiters);
        opened.add(0, load);
        return load;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
        opened.clear();
    }

    private void park(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** From now on, until all instances ask Redis again, and it answers in time. */
    private void awaitBack(NemesisLoad load) {
        long start = ticker.read();
        long[] last = {load.calls(), localDecisions()};
        await().atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(10))
                .pollDelay(Duration.ZERO)
                .until(() -> {
                    long[] now = {load.calls(), localDecisions()};
                    boolean back = now[0] > last[0] && now[1] == last[1];
                    System.arraycopy(now, 0, last, 0, now.length);
                    return back
                            && limiters.stream()
                                    .allMatch(limiter -> limiter.status().up());
                });
        slowest = Math.max(slowest, (ticker.read() - start) / 1_000_000);
    }

    private long localDecisions() {
        return limiters.stream()
                .mapToLong(limiter -> limiter.status().localDecisions())
                .sum();
    }

    private void kill(RedisServer server, NemesisLoad load, int times) {
        for (int i = 0; i < times; i++) {
            server.kill();
            park(i % 30);
            server.start();
            awaitBack(load);
        }
    }

    private void halt(RedisServer server, NemesisLoad load, int times, int millis) {
        for (int i = 0; i < times; i++) {
            server.pause();
            park(millis);
            server.resume();
            awaitBack(load);
        }
    }

    private void flush(RedisServer server, int times) {
        RedisClient client = RedisClient.create(server.uri());
        RedisCommands<String, String> commands = client.connect().sync();
        for (int i = 0; i < times; i++) {
            commands.scriptFlush();
            park(1);
        }
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    /** Called with the time before the first request. */
    private void assertBound(String name, NemesisLoad load, long start, long bursts) throws Exception {
        load.check(name, TIMEOUT);
        close();
        long uncounted = limiters.stream()
                .mapToLong(limiter -> limiter.status().uncountedPermits())
                .sum();
        long most = bursts * BURST + uncounted + RATE * (ticker.read() - start) / 1_000_000_000 + 1;
        System.out.printf(
                ">>> %s: %,d granted of at most %,d, back within %d ms%n", name, load.granted(), most, slowest);
        assertTrue(load.granted() <= most, () -> load.granted() + " > " + most);
    }

    @Test
    void D1_D4_D6_D8_killsAndHaltsAndFlushesGrantNothingMoreAndReachNoCaller() throws Exception {
        try (RedisServer server = RedisServer.inMemory()) {
            long start = ticker.read();
            NemesisLoad load = load(server.uri(), WhenAway.closed(), options -> options);
            attack(server, load);
            assertBound("restarts, closed", load, start, 1);
        }
    }

    @Test
    void D1_D8_batchedPermitsAreGrantedOnce() throws Exception {
        try (RedisServer server = RedisServer.inMemory()) {
            long start = ticker.read();
            NemesisLoad load = load(server.uri(), WhenAway.closed(), options -> options.mode(Mode.batched(20)));
            attack(server, load);
            assertBound("restarts, batched", load, start, 1);
        }
    }

    /** The picture of docs/proof/compared.md: {@code -Dweir.series=FILE.svg}. */
    @Test
    @EnabledIfSystemProperty(named = "weir.series", matches = ".+")
    void oneFaultAfterTheOtherIsDrawn() throws Exception {
        try (RedisServer server = RedisServer.inMemory()) {
            TokenBucket limit = TokenBucket.of(1_000, Duration.ofSeconds(1)).withCapacity(100);
            NemesisLoad load = load(server.uri(), limit, WhenAway.local(2), options -> options);
            for (int i = 0; i < 2; i++) {
                park(3_000);
                load.mark("killed");
                server.kill();
                park(2_000);
                server.start();
                load.mark("");
                park(3_000);
                load.mark("halted");
                server.pause();
                park(1_500);
                server.resume();
                load.mark("");
                park(3_000);
                load.mark("SCRIPT FLUSH");
                flush(server, 300);
                load.mark("");
            }
            park(2_000);
            load.check("series", TIMEOUT);
            load.drawSeries(Path.of(System.getProperty("weir.series")), 1_000);
        }
    }

    @Test
    void D6_D7_D8_whileRedisIsAwayEachInstanceGrantsItsPart() throws Exception {
        try (RedisServer server = RedisServer.inMemory()) {
            long start = ticker.read();
            NemesisLoad load = load(server.uri(), WhenAway.local(2), options -> options);
            attack(server, load);
            long before = load.granted();
            server.kill();
            park(CALM_MILLIS);
            await().until(() -> load.granted() > before + RATE / 10);
            server.start();
            awaitBack(load);
            park(CALM_MILLIS);
            assertBound("restarts, local", load, start, 2);
        }
    }

    private void attack(RedisServer server, NemesisLoad load) {
        await().atMost(Duration.ofMinutes(5)).until(() -> load.granted() >= BURST);
        park(CALM_MILLIS);
        kill(server, load, KILLS);
        park(CALM_MILLIS);
        halt(server, load, PAUSES, 20);
        halt(server, load, 1, CALM_MILLIS);
        park(CALM_MILLIS);
        flush(server, FLUSHES);
        awaitBack(load);
        park(CALM_MILLIS);
    }

    @Test
    void D8_failOversOfSentinelsGrantAtMostOneBurstEach() throws Exception {
        onlyIfLonger();
        try (RedisSentinels sentinels = RedisSentinels.started()) {
            long start = ticker.read();
            NemesisLoad load = load(sentinels.uri(), WhenAway.closed(), options -> options);
            for (int i = 0; i < FAIL_OVERS; i++) {
                sentinels.failOver();
                awaitBack(load);
                sentinels.startKilled();
                RedisServer halted = sentinels.primary();
                halted.pause();
                sentinels.awaitReplaced(halted);
                awaitBack(load);
                halted.resume();
                sentinels.awaitReady();
            }
            assertBound("fail-overs of Sentinels", load, start, 2L * FAIL_OVERS + 1);
        }
    }

    @Test
    void D8_failOversOfAClusterGrantAtMostOneBurstEach() throws Exception {
        onlyIfLonger();
        try (RedisCluster cluster = RedisCluster.withReplicas(Duration.ofSeconds(3))) {
            long start = ticker.read();
            NemesisLoad load = load(
                    cluster.uris().get(0).replace("redis:", "redis-cluster:"), WhenAway.closed(), options -> options);
            for (int i = 0; i < FAIL_OVERS; i++) {
                for (int master = 0; master < 3; master++) {
                    int killed = cluster.isMaster(master) ? master : master + 3;
                    int other = (killed + 3) % 6;
                    boolean halts = i % 2 == 1;
                    if (halts) {
                        cluster.pause(killed);
                    } else {
                        cluster.kill(killed);
                    }
                    cluster.awaitMaster(other);
                    awaitBack(load);
                    if (halts) {
                        cluster.resume(killed);
                    } else {
                        cluster.start(killed);
                    }
                    cluster.awaitOk();
                }
            }
            assertBound("fail-overs of a Cluster", load, start, 3L * FAIL_OVERS + 1);
        }
    }

    @Test
    void D5_whateverAServerAnswersNothingReachesACaller() throws Exception {
        List<Answer> wrong = new ArrayList<>();
        RedisErrorsTest.INDETERMINATE.forEach(message -> wrong.add(Answer.error(message)));
        Answer granted = Answer.integers(1, 9, 10, 0, 0, 1_700_000_000_000_000L, 0);
        wrong.add(granted.half());
        wrong.add(new Answer.Silence());
        wrong.add(new Answer.Close(""));
        wrong.add(Answer.integers(1, 2));
        wrong.add(Answer.integers(-1, -1, -1, -1, -1, -1, -1));
        wrong.add(Answer.raw("+OK\r\n"));
        wrong.add(Answer.raw("HTTP/1.1 400 Bad Request\r\n\r\n"));
        try (ScriptedRedis server = ScriptedRedis.started()) {
            AtomicLong right = new AtomicLong();
            Function<List<String>, Answer> well = command -> {
                right.incrementAndGet();
                return granted.slowly();
            };
            server.answer("EVALSHA", well);
            NemesisLoad load =
                    load(server.uri(), WhenAway.closed(), options -> options.probeInterval(Duration.ofMillis(20)));
            for (int round = 0; round < ROUNDS; round++) {
                for (Answer answer : wrong) {
                    server.answer("EVALSHA", command -> answer);
                    server.answer("EVAL", command -> answer);
                    int sent = server.count("EVALSHA") + server.count("EVAL");
                    await().pollDelay(Duration.ZERO)
                            .until(() -> server.count("EVALSHA") + server.count("EVAL") > sent + 10);
                    server.answer("EVALSHA", well);
                    server.answer("EVAL", command -> Answer.raw("+OK\r\n"));
                    awaitBack(load);
                    assertTrue(load.granted() <= right.get(), answer::toString);
                }
            }
            load.check("answers", TIMEOUT);
            close();
            System.out.printf(">>> answers: back within %d ms%n", slowest);
        }
    }
}
