package dev.weir.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.config.source.ConfigSource;
import dev.weir.testkit.Stress;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import dev.weir.testservers.contract.NemesisContract;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("real-time")
@Needs(Server.ETCD)
class EtcdNemesisTest extends NemesisContract {
    private static final String KEY = "limits";

    private final EtcdServer server = EtcdServer.started();

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
        return EtcdSource.connect(Client.builder().endpoints("http://127.0.0.1:" + port), KEY);
    }

    @Override
    protected void write(byte[] content) throws Exception {
        try (Client client = Client.builder().endpoints(server.uri()).build()) {
            client.getKVClient()
                    .put(ByteSequence.from(KEY, UTF_8), ByteSequence.from(content))
                    .get(5, TimeUnit.MINUTES);
        }
    }

    /** Those of gRPC serve all clients, and end when they have been idle. */
    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return thread.getName().startsWith("grpc-");
    }
}
