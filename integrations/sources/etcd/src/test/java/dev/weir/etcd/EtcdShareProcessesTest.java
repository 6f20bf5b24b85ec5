package dev.weir.etcd;

import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import dev.weir.testservers.contract.ShareProcessesContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("nightly")
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

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(2);
    }
}
