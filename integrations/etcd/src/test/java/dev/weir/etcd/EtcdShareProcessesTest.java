package dev.weir.etcd;

import dev.weir.testkit.Stress;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import dev.weir.testservers.contract.ShareProcessesContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

@Needs(Server.ETCD)
class EtcdShareProcessesTest extends ShareProcessesContract {
    private final EtcdServer server = EtcdServer.started();

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
        return EtcdShareMember.class;
    }

    @Override
    protected String server() {
        return server.uri();
    }

    /** ZooKeeper is enough for each build. */
    @Override
    protected int changes() {
        return Stress.asked() == Stress.SMOKE ? 0 : super.changes();
    }

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(2);
    }
}
