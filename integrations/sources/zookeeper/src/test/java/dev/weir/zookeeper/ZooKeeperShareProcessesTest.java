package dev.weir.zookeeper;

import dev.weir.testservers.ZooKeeperServer;
import dev.weir.testservers.contract.ShareProcessesContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

class ZooKeeperShareProcessesTest extends ShareProcessesContract {
    private final ZooKeeperServer server = ZooKeeperServer.started(Duration.ofMillis(100));

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
        return ZooKeeperShareMember.class;
    }

    @Override
    protected String server() {
        return server.connection();
    }
}
