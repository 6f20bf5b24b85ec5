package dev.weir.etcd;

import dev.weir.config.contract.TcpProxy;
import dev.weir.share.ShareRegistry;
import dev.weir.share.contract.ShareRegistryContract;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.etcd.jetcd.Client;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each instance has a proxy of its own. */
@Tag("real-time")
@Execution(ExecutionMode.CONCURRENT)
@Needs(Server.ETCD)
class EtcdRegistryContractTest extends ShareRegistryContract {
    private static final AtomicInteger SERVICES = new AtomicInteger();
    private static EtcdServer server;

    private final String prefix = "weir/service" + SERVICES.getAndIncrement();
    private final Map<ShareRegistry, TcpProxy> proxies = new HashMap<>();

    @BeforeAll
    static void startServer() {
        server = EtcdServer.started();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected ShareRegistry open(String instance, Duration lease) throws Exception {
        TcpProxy proxy = new TcpProxy(server.port());
        ShareRegistry registry = EtcdRegistry.connect(
                Client.builder().endpoints("http://127.0.0.1:" + proxy.port()),
                prefix,
                instance,
                lease,
                Duration.ofMinutes(1));
        proxies.put(registry, proxy);
        return registry;
    }

    @Override
    protected void cut(ShareRegistry registry) {
        Objects.requireNonNull(proxies.get(registry)).hang();
    }

    @Override
    protected void restore(ShareRegistry registry) {
        Objects.requireNonNull(proxies.get(registry)).restore();
    }

    @AfterEach
    void stopProxies() throws Exception {
        for (TcpProxy proxy : proxies.values()) {
            proxy.close();
        }
    }
}
