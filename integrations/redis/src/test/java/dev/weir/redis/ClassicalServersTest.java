package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What servers do to scripts as they are found in the field, and to ours. */
@Needs(Server.REDIS)
class ClassicalServersTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @RegisterExtension
    static final RealRedis SMALL = new RealRedis("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru");

    @RegisterExtension
    static final RealRedis VOLATILE = new RealRedis("--maxmemory", "4mb", "--maxmemory-policy", "volatile-lru");

    @RegisterExtension
    static final RealRedis FULL = new RealRedis("--maxmemory", "1", "--maxmemory-policy", "noeviction");

    private static final int FLOOD = 10_000;

    private final Classical counter = Classical.of(REDIS, "counter");

    @Test
    void L18_brokenTwin_aScriptThatIsOnlyCalledByItsHashIsGoneAfterAFlush() {
        String sha = REDIS.commands().scriptLoad(counter.text());
        assertEquals(1L, bySha(sha));
        REDIS.commands().scriptFlush();
        assertThrows(RedisNoScriptException.class, () -> bySha(sha));
    }

    private static long bySha(String sha) {
        return REDIS.commands().<Long>evalsha(sha, ScriptOutputType.INTEGER, new String[] {"k"}, "1", "60");
    }

    /** Writes more than fits, by keys of a kilobyte. */
    private static void flood(RealRedis small) {
        String value = "x".repeat(1_000);
        List<RedisFuture<String>> written = IntStream.range(0, FLOOD)
                .mapToObj(i -> small.connection().async().set("flood" + i, value))
                .toList();
        written.forEach(write -> assertDoesNotThrow(() -> write.await(30, TimeUnit.SECONDS)));
    }

    @Test
    void L18_ourScriptIsSentWholeWhenTheServerForgotIt() throws Exception {
        RedisRate rate = RedisRate.of(FixedWindow.of(10, Duration.ofHours(1)));
        byte[] key = KeyName.of("limit", "flushed").of(null);
        try (Redis redis = Redis.connect(REDIS.server().uri())) {
            for (long remaining = 9; remaining >= 0; remaining--) {
                REDIS.commands().scriptFlush();
                List<Long> answer = redis.scripts()
                        .run(rate.script(), key, rate.arguments(Script.ACQUIRE, 1, 0))
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
                assertEquals(List.of(1L, remaining), answer.subList(0, 2));
            }
        }
    }

    @Test
    void L19_brokenTwin_aFloodOfKeysEvictsACounter() {
        Classical evicted = Classical.of(SMALL, "counter");
        int granted = 0;
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 50; i++) {
                granted += evicted.number("k", 1, 3_600) <= 5 ? 1 : 0;
            }
            for (int floods = 0; floods < 20 && SMALL.commands().exists("k") > 0; floods++) {
                flood(SMALL);
            }
        }
        assertEquals(25, granted);
    }

    @Test
    void L19_brokenTwin_aPolicyForKeysWithATimeToLiveEvictsCountersFirst() {
        Classical evicted = Classical.of(VOLATILE, "counter");
        assertEquals(1, evicted.number("k", 1, 3_600));
        flood(VOLATILE);
        assertEquals(0, VOLATILE.commands().exists("k"));
    }

    @Test
    void L19_aServerThatMayEvictOurKeysIsReportedAtTheStart() {
        Logger logger = Logger.getLogger(Redis.class.getName());
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try (Redis redis = Redis.connect(SMALL.server().uri())) {
            assertNotNull(redis);
            await().until(() -> logged.stream().anyMatch(line -> line.startsWith("maxmemory-policy is allkeys-lru")));
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void L19_brokenTwin_withoutEvictionAFullServerMakesEachCallFail() {
        Exception e = assertThrows(
                RedisCommandExecutionException.class,
                () -> Classical.of(FULL, "counter").number("k", 1, 3_600));
        assertTrue(e.getMessage().contains("OOM"), e.getMessage());
    }

    @Test
    void L19_withoutEvictionAFullServerIsAnErrorThatGrantsNothing() {
        Ours ours = Ours.of(FULL, TokenBucket.of(5, Duration.ofHours(1)));
        Exception e = assertThrows(IllegalStateException.class, () -> ours.grantedNow(1, 0));
        assertTrue(e.getMessage().contains("OOM"), e.getMessage());
        assertEquals(0, FULL.commands().exists("k"));
    }

    @Test
    void L20_brokenTwin_aReplicaThatIsBehindGrantsTheLimitAgain() {
        try (ReplicatedRedis pair = new ReplicatedRedis()) {
            assertEquals(100, grants(pair.primary().sync()));
            pair.failOverBeforeReplication();
            assertEquals(100, grants(pair.replica().sync()));
        }
    }

    private int grants(RedisCommands<String, String> server) {
        int granted = 0;
        for (int i = 0; i < 300; i++) {
            long count = server.eval(counter.text(), ScriptOutputType.INTEGER, new String[] {"k"}, "1", "3600");
            granted += count <= 100 ? 1 : 0;
        }
        return granted;
    }

    @Test
    void L20_afterAFailOverOurWindowGrantsTheLimitOnceMore() {
        try (ReplicatedRedis pair = new ReplicatedRedis()) {
            RedisRate rate = RedisRate.of(FixedWindow.of(100, Duration.ofHours(1)));
            assertEquals(100, new Ours(pair.primary().async(), rate).grantedNow(300, 0));
            pair.failOverBeforeReplication();
            assertEquals(100, new Ours(pair.replica().async(), rate).grantedNow(300, 0));
        }
    }

    @Test
    void L20_afterAFailOverOurBucketStartsUsedUp() {
        try (ReplicatedRedis pair = new ReplicatedRedis()) {
            RedisRate rate = RedisRate.of(TokenBucket.of(100, Duration.ofHours(1)));
            assertEquals(100, new Ours(pair.primary().async(), rate).grantedNow(300, 0));
            pair.failOverBeforeReplication();
            long since = Long.parseLong(pair.replica().sync().time().get(0)) * 1_000_000;
            assertEquals(0, new Ours(pair.replica().async(), rate).grantedNow(300, since));
        }
    }

    @Test
    void L21_brokenTwin_aUserNameMakesTheKeysOfOneLimitGoToTwoSlots() {
        assertEquals(SlotHash.getSlot("{ann}.tokens"), SlotHash.getSlot("{ann}.timestamp"));
        assertNotEquals(SlotHash.getSlot("{}x}.tokens"), SlotHash.getSlot("{}x}.timestamp"));
        try (RedisCluster cluster = RedisCluster.started()) {
            RedisClient client = RedisClient.create(cluster.uris().get(0));
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                Exception e = assertThrows(
                        RedisCommandExecutionException.class,
                        () -> connection
                                .sync()
                                .eval(
                                        Classical.of(REDIS, "token_bucket").text(),
                                        ScriptOutputType.MULTI,
                                        new String[] {"{}x}.tokens", "{}x}.timestamp"},
                                        "10",
                                        "10",
                                        "0",
                                        "1"));
                assertTrue(e.getMessage().startsWith("CROSSSLOT"), e.getMessage());
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }

    @Test
    void L21_brokenTwin_aUserNameChoosesTheSlot() {
        assertEquals(
                1,
                IntStream.range(0, 100)
                        .map(i -> SlotHash.getSlot("rl:{7}" + i))
                        .distinct()
                        .count());
    }

    @Test
    void L21_aUserNameDoesNotChooseTheSlotOfOurs() {
        KeyName names = KeyName.of("limit", "rl");
        long slots = IntStream.range(0, 100)
                .map(i -> SlotHash.getSlot(names.of("{7}" + i)))
                .distinct()
                .count();
        assertTrue(slots > 90, () -> "slots: " + slots);
        byte[] name = names.of("}x");
        assertEquals(SlotHash.getSlot(Arrays.copyOfRange(name, 1, name.length - 1)), SlotHash.getSlot(name));
    }

    @Test
    void L22_brokenTwin_aForeignValueIsAnErrorOnEachCall() {
        REDIS.commands().rpush("k", "foreign");
        for (int i = 0; i < 3; i++) {
            Exception e = assertThrows(RedisCommandExecutionException.class, () -> counter.number("k", 1, 60));
            assertTrue(e.getMessage().contains("WRONGTYPE"), e.getMessage());
        }
        REDIS.commands().set("j", "no json");
        Classical leaky = Classical.of(REDIS, "leaky_bucket");
        for (int i = 0; i < 3; i++) {
            assertThrows(RedisCommandExecutionException.class, () -> leaky.first(List.of("j"), 1_000, 1_000, 1, 0));
        }
    }

    @Test
    void L22_ourScriptReplacesAForeignValueOnce() {
        List<Consumer<RedisCommands<String, String>>> foreign = List.of(
                server -> server.rpush("k", "foreign"),
                server -> server.sadd("k", "foreign"),
                server -> server.set("k", "no json"),
                server -> server.set("k", "weir1 even 1,1 1"),
                server -> server.hset("k", "#", "foreign"),
                server -> server.zadd("k", 1, "foreign"),
                server -> server.xadd("k", "a", "b"));
        List<StrategySpec> specs = List.of(
                TokenBucket.of(10, Duration.ofHours(1)),
                FixedWindow.of(10, Duration.ofHours(1)),
                SlidingWindow.of(10, Duration.ofHours(1)),
                SlidingLog.of(10, Duration.ofHours(1)));
        for (StrategySpec spec : specs) {
            for (Consumer<RedisCommands<String, String>> value : foreign) {
                REDIS.commands().flushall();
                value.accept(REDIS.commands());
                assertEquals(10, Ours.of(REDIS, spec).grantedNow(20, 0));
                assertTrue(REDIS.commands().pttl("k") > 0);
            }
        }
    }
}
