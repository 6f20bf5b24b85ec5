package dev.weir.redis;

import dev.weir.redis.contract.ScriptCall;
import dev.weir.redis.contract.ScriptContract;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisRatesTest extends ScriptContract {
    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<byte[], byte[]> commands;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        commands = client.connect(ByteArrayCodec.INSTANCE).sync();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @Override
    protected RedisClusterCommands<byte[], byte[]> commands() {
        return commands;
    }

    @Override
    protected ScriptCall call(StrategySpec spec, int operation, long permits, long since) {
        RedisRate rate = RedisRate.of(spec);
        return new ScriptCall(rate.script().text(), rate.arguments(operation, permits, since));
    }
}
