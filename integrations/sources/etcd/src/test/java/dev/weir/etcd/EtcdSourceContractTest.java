package dev.weir.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.config.contract.ConfigSourceContract;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.source.ConfigSource;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

@Needs(Server.ETCD)
class EtcdSourceContractTest extends ConfigSourceContract {
    private static EtcdServer server;
    private static Client writer;
    private static int documents;

    private final String key = "shop/limits-" + documents++;
    private TcpProxy proxy;

    @BeforeAll
    static void startServer() {
        server = EtcdServer.started();
        writer = Client.builder().endpoints(server.uri()).build();
    }

    @AfterAll
    static void stopServer() {
        writer.close();
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

    @Override
    protected ConfigSource open() {
        return EtcdSource.connect(Client.builder().endpoints("http://127.0.0.1:" + proxy.port()), key);
    }

    @Override
    protected void write(byte[] content) throws Exception {
        writer.getKVClient().put(key(), ByteSequence.from(content)).get(10, TimeUnit.SECONDS);
    }

    @Override
    protected void delete() throws Exception {
        writer.getKVClient().delete(key()).get(10, TimeUnit.SECONDS);
    }

    private ByteSequence key() {
        return ByteSequence.from(key, UTF_8);
    }

    @Override
    protected TcpProxy proxy() {
        return proxy;
    }

    /** Those of gRPC serve all clients, and end when they have been idle. */
    @Override
    protected boolean isNotOfTheSource(Thread thread) {
        return thread.getName().startsWith("grpc-");
    }
}
