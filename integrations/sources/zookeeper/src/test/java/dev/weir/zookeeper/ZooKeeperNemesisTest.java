package dev.weir.zookeeper;

import dev.weir.config.source.ConfigSource;
import dev.weir.testkit.Stress;
import dev.weir.testservers.ZooKeeperServer;
import dev.weir.testservers.contract.NemesisContract;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("real-time")
class ZooKeeperNemesisTest extends NemesisContract {
    private static final String PATH = "/limits";

    private final ZooKeeperServer server = ZooKeeperServer.started();

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    protected int kills() {
        return Stress.of(2, 5, 200);
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
        return ZooKeeperSource.connect("127.0.0.1:" + port, PATH);
    }

    @Override
    protected void write(byte[] content) throws Exception {
        try (CuratorFramework client = CuratorFrameworkFactory.newClient(server.connection(), new RetryOneTime(100))) {
            client.start();
            client.create().orSetData().forPath(PATH, content);
        }
    }

    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return ServerThreads.has(thread);
    }
}
