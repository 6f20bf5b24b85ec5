package dev.weir.testservers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RedisTopologiesTest {
    @Test
    void aClusterServesEachSlotByOneMasterAndAReplicaTakesOver() {
        try (RedisCluster cluster = RedisCluster.withReplicas()) {
            assertEquals(6, cluster.uris().size());
            assertEquals("-MOVED 12182 127.0.0.1:" + cluster.port(2), RespSocket.ask(cluster.port(0), "SET foo 1"));
            assertEquals("+OK", RespSocket.ask(cluster.port(2), "SET foo 1"));
            assertFalse(cluster.isMaster(5));
            cluster.kill(2);
            assertEquals("", RespSocket.ask(cluster.port(2), "PING"));
            cluster.awaitMaster(5);
            cluster.start(2);
            cluster.awaitOk();
            assertFalse(cluster.isMaster(2));
            assertEquals(":1", RespSocket.ask(cluster.port(5), "STRLEN foo"));
        }
    }

    @Test
    void sentinelsReplaceThePrimaryAgainAndAgain() {
        try (RedisSentinels sentinels = RedisSentinels.started()) {
            int first = sentinels.primaryPort();
            sentinels.failOver();
            int second = sentinels.primaryPort();
            assertNotEquals(first, second);
            assertEquals("+OK", RespSocket.ask(second, "SET a 1"));
            sentinels.startKilled();
            assertTrue(RespSocket.ask(first, "SET a 1").startsWith("-READONLY"));
        }
    }
}
