package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that has reached {@code maxmemory} under load: it refuses to count, or removes what it has counted. */
@Tag("real-time")
@Timeout(3_600)
@Needs(Server.REDIS)
class MemoryNemesisTest {
    private static final int ROUNDS = Stress.of(2, 20, 500);
    private static final long EVICTIONS = Stress.of(3_000, 30_000, 1_000_000);
    private static final List<String> KEYS =
            IntStream.range(0, 2_000).mapToObj(i -> "k" + i).toList();

    /** For so much of the states there is room, of some 700 kB. */
    private static final long ROOM = 150_000;

    /** A test ends before one of them is free again. */
    private static final long PERMITS = 5;

    private static final Duration PERIOD = Duration.ofDays(1);
    private static final long RATE = 200;
    private static final long BURST = 1_000;

    /** How often each key was evicted, as the server tells it. */
    private static final class Evictions extends RedisPubSubAdapter<String, String> {
        private final Map<String, LongAdder> byKey = new ConcurrentHashMap<>();

        @Override
        public void message(String channel, String key) {
            byKey.computeIfAbsent(key, unseen -> new LongAdder()).increment();
        }

        long all() {
            return byKey.values().stream().mapToLong(LongAdder::sum).sum();
        }

        long of(String limit, String key) {
            LongAdder found = byKey.get(new String(KeyName.of("limit", limit).of(key), US_ASCII));
            return found == null ? 0 : found.sum();
        }

        /** Keys that were granted more than this often the limit, of which each eviction allows one time. */
        long over(String name, KeyedLoad.Limit limit, boolean isOracle) {
            return IntStream.range(0, KEYS.size())
                    .filter(i -> limit.granted(i) > PERMITS * (1 + (isOracle ? of(name, KEYS.get(i)) : 0)))
                    .count();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "allkeys-random", "volatile-ttl"})
    void D8_anEvictionGrantsTheLimitOfItsKeyOnceMore(String policy) {
        try (RedisServer server = RedisServer.inMemory("--maxmemory-policy", policy, "--notify-keyspace-events", "Ee");
                KeyedLoad load = new KeyedLoad(server.uri(), 64)) {
            RedisClient client = RedisClient.create(server.uri());
            RedisCommands<String, String> commands = client.connect().sync();
            StatefulRedisPubSubConnection<String, String> told = client.connectPubSub();
            Evictions evictions = new Evictions();
            told.addListener(evictions);
            told.sync().subscribe("__keyevent@0__:evicted");
            KeyedLoad.Limit bucket = load.limit("bucket", TokenBucket.of(PERMITS, PERIOD), WhenAway.closed(), KEYS);
            KeyedLoad.Limit window = load.limit("window", SlidingWindow.of(PERMITS, PERIOD), WhenAway.closed(), KEYS);
            load.start();
            load.awaitCalls(1_000);
            long used = Long.parseLong(
                    commands.info("memory").split("used_memory:", 2)[1].split("\r", 2)[0]);
            commands.configSet("maxmemory", Long.toString(used + ROOM));
            KeyedLoad.eventually()
                    .until(() -> server.evictedKeys() >= EVICTIONS
                            && evictions.over("bucket", bucket, false) > 100
                            && evictions.over("window", window, false) > 100);
            load.check(policy);
            KeyedLoad.eventually().until(() -> evictions.all() == server.evictedKeys());
            System.out.printf(
                    ">>> %s: %,d calls, %,d evictions, %,d and %,d granted; above the limit without evictions: %d and %d keys%n",
                    policy,
                    load.calls(),
                    evictions.all(),
                    bucket.granted(),
                    window.granted(),
                    evictions.over("bucket", bucket, false),
                    evictions.over("window", window, false));
            assertEquals(0, evictions.over("bucket", bucket, true), "keys above the bound");
            assertEquals(0, evictions.over("window", window, true), "keys above the bound");
            client.shutdown();
        }
    }

    @Test
    void D5_D6_D8_aServerThatRefusesToWriteForgetsNothing() {
        TokenBucket spec = TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST);
        try (RedisServer server = RedisServer.inMemory();
                KeyedLoad load = new KeyedLoad(server.uri(), 1)) {
            RedisClient client = RedisClient.create(server.uri());
            RedisCommands<String, String> commands = client.connect().sync();
            KeyedLoad.Limit closed = load.limit("closed", spec, WhenAway.closed(), List.of("key"));
            KeyedLoad.Limit local = load.limit("local", spec, WhenAway.local(2), List.of("key"));
            load.start();
            KeyedLoad.eventually().until(() -> closed.granted() >= BURST && local.granted() >= BURST);
            for (int round = 0; round < ROUNDS; round++) {
                commands.configSet("maxmemory", "1");
                KeyedLoad.eventually().until(() -> closed.isAway() && local.isAway());
                long granted = load.byStore();
                long here = closed.localDecisions();
                KeyedLoad.eventually().until(() -> closed.localDecisions() > here + 100);
                assertEquals(granted, load.byStore(), "granted by a server that cannot count");
                commands.configSet("maxmemory", "0");
                load.awaitBack();
                assertTrue(closed.granted() <= BURST + load.refilled(RATE), () -> "closed: " + closed.granted());
            }
            long errors = server.errors("OOM");
            assertTrue(errors >= 20L * ROUNDS, () -> errors + " errors OOM");
            load.check("noeviction");
            long most = 2 * BURST + load.refilled(RATE) + local.uncounted();
            assertTrue(local.granted() <= most, () -> "local: " + local.granted() + " of " + most);
            System.out.printf(
                    ">>> noeviction: %d times full, %,d errors OOM, closed %,d and local %,d granted of at most %,d and %,d%n",
                    ROUNDS, errors, closed.granted(), local.granted(), most - BURST, most);
            commands.flushall();
            client.shutdown();
        }
    }
}
