package dev.weir.redis;

import static dev.weir.redis.TestScripts.COUNT;
import static dev.weir.redis.TestScripts.run;
import static dev.weir.redis.TestScripts.since;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.RedisSentinels;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RedisFailOverTest {
    /** Of the third master. */
    private static final String KEY = "foo";

    @Test
    void D8_aFailOverBySentinelsIsFollowedAndNothingIsUnusedThere() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.started();
                Redis redis = Redis.connect(sentinels.uri())) {
            assertEquals(List.of(1L, 0L), run(redis, COUNT, KEY));
            sentinels.failOver();
            await().until(() -> since(redis, KEY) > 0);
            redis.ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void D8_aFailOverInAClusterIsFollowedAndNothingIsUnusedThere() throws Exception {
        try (RedisCluster cluster = RedisCluster.withReplicas()) {
            RedisClusterClient client = RedisClusterClient.create(cluster.uris().get(1));
            try (Redis redis = Redis.of(client)) {
                assertEquals(List.of(1L, 0L), run(redis, COUNT, KEY));
                redis.ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
                cluster.kill(2);
                cluster.awaitMaster(5);
                await().until(() -> since(redis, KEY) > 0);
                for (String other : List.of("b", "c")) {
                    assertEquals(0, since(redis, other));
                }
                await().until(() -> !redis.ping().toCompletableFuture().isCompletedExceptionally());
                redis.ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
            } finally {
                client.shutdown(0, 2, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void D4_D5_aSlotThatMovesIsFollowedAndEachScriptRunsOnce() throws Exception {
        int slot = SlotHash.getSlot(KEY);
        try (RedisCluster cluster = RedisCluster.started();
                Redis redis = Redis.connect(cluster.uris().get(0).replace("redis:", "redis-cluster:"))) {
            List<RedisClient> clients = new ArrayList<>();
            List<RedisCommands<String, String>> nodes = new ArrayList<>();
            for (String uri : cluster.uris()) {
                RedisClient client = RedisClient.create(uri);
                clients.add(client);
                nodes.add(client.connect().sync());
            }
            assertEquals(1, run(redis, COUNT, KEY).get(0));
            String from = nodes.get(2).clusterMyId();
            String to = nodes.get(0).clusterMyId();
            nodes.get(0).clusterSetSlotImporting(slot, from);
            nodes.get(2).clusterSetSlotMigrating(slot, to);
            assertEquals(2, run(redis, COUNT, KEY).get(0));
            nodes.get(2).migrate("127.0.0.1", cluster.port(0), KEY, 0, 5_000);
            assertEquals(List.of(3L, 0L), run(redis, COUNT, KEY));
            nodes.get(0).clusterSetSlotNode(slot, to);
            nodes.get(2).clusterSetSlotNode(slot, to);
            for (long n = 4; n < 8; n++) {
                assertEquals(List.of(n, 0L), run(redis, COUNT, KEY));
            }
            clients.forEach(client -> client.shutdown(0, 2, TimeUnit.SECONDS));
        }
    }
}
