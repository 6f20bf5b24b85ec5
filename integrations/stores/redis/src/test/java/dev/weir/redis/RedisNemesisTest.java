package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.config.source.ConfigSource;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import dev.weir.testservers.contract.NemesisContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("real-time")
@Needs(Server.REDIS)
class RedisNemesisTest extends NemesisContract {
    private static final String KEY = "limits";

    private final RedisServer server = RedisServer.durable();
    private final RedisClient client = RedisClient.create(server.uri());
    private final StatefulRedisConnection<byte[], byte[]> writer = client.connect(ByteArrayCodec.INSTANCE);

    @AfterEach
    void stop() {
        client.shutdown();
        server.close();
    }

    @Override
    protected int kills() {
        return Stress.of(5, 5, 500);
    }

    @Override
    protected int port() {
        return server.port();
    }

    @Override
    protected void kill() {
        server.kill();
    }

    @Override
    protected void start() {
        server.start();
    }

    @Override
    protected ConfigSource open(int port) {
        return RedisSource.connect(RedisURI.create("127.0.0.1", port), KEY);
    }

    /** Lettuce connects again by itself. */
    @Override
    protected void write(byte[] content) {
        writer.sync().set(KEY.getBytes(UTF_8), content);
    }
}
