package dev.weir.testservers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("real-time")
@Needs(Server.REDIS)
class RedisTopologiesTest {
    @Test
    void aClusterServesEachSlotByOneMaster() {
        try (RedisCluster cluster = RedisCluster.withReplicas()) {
            assertEquals(6, cluster.uris().size());
            assertEquals("-MOVED 12182 127.0.0.1:" + cluster.port(2), RespSocket.ask(cluster.port(0), "SET foo 1"));
            assertEquals("+OK", RespSocket.ask(cluster.port(2), "SET foo 1"));
            assertFalse(cluster.isMaster(5));
            assertEquals("-MOVED 12182 127.0.0.1:" + cluster.port(2), RespSocket.ask(cluster.port(5), "SET foo 1"));
            cluster.kill(2);
            assertEquals("", RespSocket.ask(cluster.port(2), "PING"));
        }
    }

    @Test
    void sentinelsReplaceThePrimary() {
        try (RedisSentinels sentinels = RedisSentinels.started()) {
            int first = sentinels.primaryPort();
            sentinels.failOver();
            assertNotEquals(first, sentinels.primaryPort());
            assertEquals("+OK", RespSocket.ask(sentinels.primaryPort(), "SET a 1"));
        }
    }
}
