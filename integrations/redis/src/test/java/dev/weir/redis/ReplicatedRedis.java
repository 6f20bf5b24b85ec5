package dev.weir.redis;

import static org.awaitility.Awaitility.await;

import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;

/** A primary with a replica that has all of it, until the test promotes the replica. */
final class ReplicatedRedis implements AutoCloseable {
    private static final int NOBODY = 1;

    private final RedisServer primary = RedisServer.inMemory("--repl-diskless-sync-delay", "0");
    private final RedisServer replica = RedisServer.inMemory(
            "--replicaof", "127.0.0.1", Integer.toString(primary.port()), "--repl-diskless-sync-delay", "0");
    private final RedisClient client = RedisClient.create();
    private final StatefulRedisConnection<String, String> toPrimary = connect(primary);
    private final StatefulRedisConnection<String, String> toReplica = connect(replica);

    ReplicatedRedis() {
        await().until(() -> replica().sync().info("replication").contains("master_link_status:up"));
        replica().sync().replicaof("127.0.0.1", NOBODY);
    }

    private StatefulRedisConnection<String, String> connect(RedisServer server) {
        return client.connect(RedisURI.create(server.uri()));
    }

    /** What is written to it from now on is not replicated. */
    StatefulRedisConnection<String, String> primary() {
        return toPrimary;
    }

    StatefulRedisConnection<String, String> replica() {
        return toReplica;
    }

    /** The primary ends; the replica is the next primary. */
    void failOverBeforeReplication() {
        primary.kill();
        replica().sync().replicaofNoOne();
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        replica.close();
        primary.close();
    }
}
