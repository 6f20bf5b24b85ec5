package dev.weir.redis;

import dev.weir.config.contract.TcpProxy;
import dev.weir.share.ShareRegistry;
import dev.weir.share.contract.ShareRegistryContract;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Each instance has a proxy of its own. */
@Tag("real-time")
@Needs(Server.REDIS)
class RedisRegistryContractTest extends ShareRegistryContract {
    private static final AtomicInteger SERVICES = new AtomicInteger();
    private static RedisServer server;

    private final String key = "weir:service" + SERVICES.getAndIncrement();
    private final Map<ShareRegistry, TcpProxy> proxies = new HashMap<>();

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Duration lease() {
        return Duration.ofSeconds(1);
    }

    @Override
    protected ShareRegistry open(String instance, Duration lease) throws Exception {
        TcpProxy proxy = new TcpProxy(server.port());
        ShareRegistry registry =
                RedisRegistry.connect(RedisURI.create("127.0.0.1", proxy.port()), key, instance, lease);
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
