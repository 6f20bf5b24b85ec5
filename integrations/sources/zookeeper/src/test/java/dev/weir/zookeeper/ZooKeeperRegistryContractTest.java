package dev.weir.zookeeper;

import dev.weir.config.contract.TcpProxy;
import dev.weir.share.ShareRegistry;
import dev.weir.share.contract.ShareRegistryContract;
import dev.weir.testservers.ZooKeeperServer;
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
class ZooKeeperRegistryContractTest extends ShareRegistryContract {
    private static ZooKeeperServer server;
    private static final AtomicInteger SERVICES = new AtomicInteger();

    private final String path = "/weir/service" + SERVICES.getAndIncrement();
    private final Map<ShareRegistry, TcpProxy> proxies = new HashMap<>();

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.started(Duration.ofMillis(100));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Duration lease() {
        return Duration.ofMillis(1_500);
    }

    @Override
    protected ShareRegistry open(String instance, Duration lease) throws Exception {
        TcpProxy proxy = new TcpProxy(server.port());
        ShareRegistry registry =
                ZooKeeperRegistry.connect("127.0.0.1:" + proxy.port(), path, instance, lease, Duration.ofMinutes(1));
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
