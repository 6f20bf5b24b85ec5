package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A slot that goes from master to master, key by key, while several limits are asked for its keys together. */
@Tag("real-time")
@Timeout(3_600)
@Needs(Server.REDIS)
class ReshardingNemesisTest {
    private static final int ROUNDS = Stress.of(2, 30, 1_000);
    private static final int SLOT = 100;
    private static final int KEYS = 8;
    private static final Duration DAY = Duration.ofDays(1);
    private static final long RATE = 2;
    private static final long LIMIT = 20;

    private final List<RedisClient> clients = new ArrayList<>();
    private final List<RedisCommands<String, String>> nodes = new ArrayList<>();

    /** Keys of a limit of which all are in one slot. */
    private static List<String> inOneSlot(String limit) {
        KeyName names = KeyName.of("limit", limit);
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "k" + i)
                .filter(key -> SlotHash.getSlot(names.of(key)) == SLOT)
                .limit(KEYS)
                .toList();
    }

    private record Limits(KeyedLoad load, KeyedLoad.Limit bucket, List<KeyedLoad.Limit> windows) {
        static Limits of(KeyedLoad load) {
            return new Limits(
                    load,
                    made(
                            load,
                            "bucket",
                            TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(LIMIT)),
                    List.of(
                            made(load, "window", SlidingWindow.of(LIMIT, DAY)),
                            made(load, "log", SlidingLog.of(LIMIT, DAY))));
        }

        private static KeyedLoad.Limit made(KeyedLoad load, String name, StrategySpec spec) {
            return load.limit(name, spec, WhenAway.closed(), inOneSlot(name));
        }

        boolean areWithin() {
            return bucket.most() <= LIMIT + load.refilled(RATE)
                    && windows.stream().allMatch(window -> window.most() <= LIMIT);
        }

        boolean areUsedUp() {
            return bucket.granted() >= KEYS * LIMIT
                    && windows.stream().allMatch(window -> window.granted() >= KEYS * LIMIT);
        }

        @Override
        public String toString() {
            return "the most at a key: " + bucket.most() + " of " + (LIMIT + load.refilled(RATE)) + ", "
                    + windows.stream().map(KeyedLoad.Limit::most).toList() + " of " + LIMIT;
        }
    }

    /** Each key with {@code mover}, and requests in between. */
    private void move(RedisCluster cluster, KeyedLoad load, int from, int to, Consumer<String> mover) {
        RedisCommands<String, String> source = nodes.get(from);
        RedisCommands<String, String> target = nodes.get(to);
        target.clusterSetSlotImporting(SLOT, source.clusterMyId());
        source.clusterSetSlotMigrating(SLOT, target.clusterMyId());
        for (List<String> keys = source.clusterGetKeysInSlot(SLOT, 1);
                !keys.isEmpty();
                keys = source.clusterGetKeysInSlot(SLOT, 1)) {
            mover.accept(keys.get(0));
            load.awaitCalls(50);
        }
        target.clusterSetSlotNode(SLOT, target.clusterMyId());
        source.clusterSetSlotNode(SLOT, target.clusterMyId());
        load.awaitCalls(200);
    }

    @Test
    void D1_D5_D8_aSlotThatMovesUnderLoadGrantsNothingMore() {
        try (RedisCluster cluster = RedisCluster.started();
                KeyedLoad load = new KeyedLoad(cluster.uris().get(0).replace("redis:", "redis-cluster:"), 32)) {
            for (String uri : cluster.uris()) {
                RedisClient client = RedisClient.create(uri);
                clients.add(client);
                nodes.add(client.connect().sync());
            }
            Limits limits = Limits.of(load);
            load.start();
            for (int round = 0; round < ROUNDS; round++) {
                int from = round % 3;
                int to = (round + 1) % 3;
                move(
                        cluster,
                        load,
                        from,
                        to,
                        key -> nodes.get(from).migrate("127.0.0.1", cluster.port(to), key, 0, 5_000));
                assertTrue(limits.areWithin(), limits::toString);
            }
            load.awaitBack();
            KeyedLoad.eventually().until(limits::areUsedUp);
            assertTrue(limits.areWithin(), limits::toString);
            System.out.printf(">>> resharding: %d moves, %,d calls, %s, errors:", ROUNDS, load.calls(), limits);
            for (String error : List.of("MOVED", "ASK", "TRYAGAIN")) {
                System.out.printf(" %s %,d", error, cluster.errors(error));
            }
            System.out.println();
            for (String error : List.of("MOVED", "ASK", "TRYAGAIN")) {
                assertTrue(cluster.errors(error) >= ROUNDS, () -> error + ": " + cluster.errors(error));
            }
            brokenTwin(cluster, limits);
            load.check("resharding");
        } finally {
            clients.forEach(RedisClient::shutdown);
        }
    }

    /** A slot that moves without what is counted in it is found. */
    private void brokenTwin(RedisCluster cluster, Limits limits) {
        RedisCommands<String, String> source = nodes.get(ROUNDS % 3);
        move(cluster, limits.load, ROUNDS % 3, (ROUNDS + 1) % 3, source::del);
        KeyedLoad.eventually().until(() -> !limits.areWithin());
    }
}
