package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What servers do to scripts as they are found in the field, and to ours. */
class ClassicalServersTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @RegisterExtension
    static final RealRedis SMALL = new RealRedis("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru");

    @RegisterExtension
    static final RealRedis FULL = new RealRedis("--maxmemory", "4mb", "--maxmemory-policy", "noeviction");

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
    void L19_brokenTwin_withoutEvictionAFloodOfKeysMakesEachCallFail() {
        flood(FULL);
        Exception e = assertThrows(
                RedisCommandExecutionException.class,
                () -> Classical.of(FULL, "counter").number("k", 1, 3_600));
        assertTrue(e.getMessage().startsWith("OOM"), e.getMessage());
    }

    @Test
    void L20_brokenTwin_aReplicaThatIsBehindGrantsTheLimitAgain() {
        try (ReplicatedRedis pair = new ReplicatedRedis()) {
            assertEquals(100, grants(pair.primary()));
            pair.failOverBeforeReplication();
            assertEquals(100, grants(pair.replica()));
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
    void L21_brokenTwin_aUserNameMakesTheKeysOfOneLimitGoToTwoSlots() {
        assertEquals(SlotHash.getSlot("{ann}.tokens"), SlotHash.getSlot("{ann}.timestamp"));
        assertNotEquals(SlotHash.getSlot("{}x}.tokens"), SlotHash.getSlot("{}x}.timestamp"));
        try (RedisServer cluster = RedisServer.inMemory("--cluster-enabled", "yes")) {
            RedisClient client = RedisClient.create(cluster.uri());
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                connection
                        .sync()
                        .clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
                await().until(() -> connection.sync().clusterInfo().contains("cluster_state:ok"));
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
}
