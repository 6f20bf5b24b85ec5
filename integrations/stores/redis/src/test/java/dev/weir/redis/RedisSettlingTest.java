package dev.weir.redis;

import dev.weir.algorithms.Settled;
import dev.weir.redis.contract.ScriptCall;
import dev.weir.redis.contract.SettlingContract;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@Needs(Server.REDIS)
class RedisSettlingTest extends SettlingContract {
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
    protected ScriptCall call(StrategySpec rate, int operation, long permits) {
        RedisRate counted = RedisRate.of(Settled.of(rate));
        return new ScriptCall(counted.script().text(), counted.arguments(operation, permits, 0));
    }

    @Override
    protected ScriptCall refund(StrategySpec rate, long permits, long grantedAt) {
        RedisRate counted = RedisRate.of(Settled.of(rate));
        return new ScriptCall(counted.script().text(), counted.refund(permits, grantedAt));
    }
}
