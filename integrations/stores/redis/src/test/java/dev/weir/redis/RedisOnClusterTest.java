package dev.weir.redis;

import static dev.weir.redis.TestScripts.COUNT;
import static dev.weir.redis.TestScripts.assertEachScriptAnswers;
import static dev.weir.redis.TestScripts.pings;
import static dev.weir.redis.TestScripts.run;
import static dev.weir.redis.TestScripts.since;
import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisCluster;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("real-time")
@Needs(Server.REDIS)
class RedisOnClusterTest {
    /** Of which the second master has the slot. */
    private static final String MOVED = "{c}moved";

    /** Of which the third master has the slot. */
    private static final String REPLACED = "foo";

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.withReplicas();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static String uri() {
        return cluster.uris().get(0).replace("redis:", "redis-cluster:");
    }

    @Test
    void D8_aFailOverIsFollowedAndNothingIsUnusedThere() throws Exception {
        try (RedisCluster hasty = RedisCluster.withReplicas(Duration.ofSeconds(3))) {
            RedisClusterClient client = RedisClusterClient.create(hasty.uris().get(0));
            try (Redis redis = Redis.of(client)) {
                assertEquals(List.of(1L, 0L), run(redis, COUNT, REPLACED));
                soon().until(() -> pings(redis));
                hasty.kill(2);
                hasty.awaitMaster(5);
                soon().until(() -> since(redis, REPLACED) > 0);
                for (String other : List.of("b", "c")) {
                    soon().until(() -> since(redis, other) == 0);
                }
                soon().until(() -> pings(redis));
            } finally {
                client.shutdown(0, 2, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void D1_eachScriptIsRoutedToTheMasterOfItsKey() throws Exception {
        try (Redis redis = Redis.connect(uri())) {
            assertEachScriptAnswers(redis);
        }
    }

    @Test
    void D4_D5_aSlotThatMovesIsFollowedAndEachScriptRunsOnce() throws Exception {
        int slot = SlotHash.getSlot(MOVED);
        RedisClient first = RedisClient.create(cluster.uris().get(0));
        RedisClient second = RedisClient.create(cluster.uris().get(1));
        try (Redis redis = Redis.connect(uri())) {
            RedisCommands<String, String> to = first.connect().sync();
            RedisCommands<String, String> from = second.connect().sync();
            assertEquals(1, run(redis, COUNT, MOVED).get(0));
            to.clusterSetSlotImporting(slot, from.clusterMyId());
            from.clusterSetSlotMigrating(slot, to.clusterMyId());
            assertEquals(2, run(redis, COUNT, MOVED).get(0));
            from.migrate("127.0.0.1", cluster.port(0), MOVED, 0, 5_000);
            assertEquals(List.of(3L, 0L), run(redis, COUNT, MOVED));
            to.clusterSetSlotNode(slot, to.clusterMyId());
            from.clusterSetSlotNode(slot, to.clusterMyId());
            for (long n = 4; n < 8; n++) {
                assertEquals(List.of(n, 0L), run(redis, COUNT, MOVED));
            }
        } finally {
            first.shutdown(0, 2, TimeUnit.SECONDS);
            second.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Nested
    class Limiters extends RedisLimiterContract {
        @Override
        protected String uri() {
            return RedisOnClusterTest.uri();
        }
    }
}
