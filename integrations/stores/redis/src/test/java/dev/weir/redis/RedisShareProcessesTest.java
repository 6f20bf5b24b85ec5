package dev.weir.redis;

import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import dev.weir.testservers.contract.ShareProcessesContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("nightly")
@Needs(Server.REDIS)
class RedisShareProcessesTest extends ShareProcessesContract {
    private final RedisServer server = RedisServer.inMemory();

    @AfterEach
    void stop() {
        server.close();
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
    protected Class<?> member() {
        return RedisShareMember.class;
    }

    @Override
    protected String server() {
        return server.uri();
    }
}
