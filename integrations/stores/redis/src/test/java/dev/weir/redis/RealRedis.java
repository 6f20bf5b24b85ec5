package dev.weir.redis;

import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server for the tests of one class, empty before each of them, and connections. */
final class RealRedis implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private RedisServer server;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private StatefulRedisConnection<byte[], byte[]> bytes;

    @Override
    public void beforeAll(ExtensionContext context) {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        connection = client.connect();
        bytes = client.connect(ByteArrayCodec.INSTANCE);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        commands().flushall();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        server.close();
    }

    RedisServer server() {
        return server;
    }

    RedisCommands<String, String> commands() {
        return connection.sync();
    }

    /** With another connection, for all tests. */
    RedisCommands<byte[], byte[]> bytes() {
        return bytes.sync();
    }
}
