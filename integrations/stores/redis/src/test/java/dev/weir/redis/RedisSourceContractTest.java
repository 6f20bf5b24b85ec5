package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

@Needs(Server.REDIS)
class RedisSourceContractTest extends ConfigSourceContract {
    private static final String PASSWORD = "a-pass-word";

    private static RedisServer server;
    private static RedisClient client;
    private static StatefulRedisConnection<byte[], byte[]> writer;
    private static int documents;

    private final String key = "shop:limits-" + documents++;
    private TcpProxy proxy;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory("--requirepass", PASSWORD);
        client = RedisClient.create(uri(server.port()));
        writer = client.connect(ByteArrayCodec.INSTANCE);
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @BeforeEach
    void startProxy() throws Exception {
        proxy = new TcpProxy(server.port());
    }

    @AfterEach
    void stopProxy() throws Exception {
        proxy.close();
    }

    private static RedisURI uri(int port) {
        return RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withPassword(PASSWORD.toCharArray())
                .build();
    }

    @Override
    protected ConfigSource open() {
        return RedisSource.connect(uri(proxy.port()), key);
    }

    @Override
    protected void write(byte[] content) {
        writer.sync().set(key.getBytes(UTF_8), content);
    }

    @Override
    protected void delete() {
        writer.sync().del(key.getBytes(UTF_8));
    }

    @Override
    protected TcpProxy proxy() {
        return proxy;
    }

    @Override
    protected String secret() {
        return PASSWORD;
    }
}
