package dev.weir.redis;

import dev.weir.config.contract.TcpProxy;
import dev.weir.distributed.ClusterRegistry;
import dev.weir.distributed.contract.ClusterRegistryContract;
import dev.weir.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each instance has a proxy of its own. The service is there for longer than a lease: else entries would be created later. */
@Execution(ExecutionMode.CONCURRENT)
class RedisRegistryContractTest extends ClusterRegistryContract {
    private static final AtomicInteger SERVICES = new AtomicInteger();
    private static RedisServer server;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> admin;

    private final String key = "weir:service" + SERVICES.getAndIncrement();
    private final Map<ClusterRegistry, TcpProxy> proxies = new HashMap<>();

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        admin = client.connect();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    @Override
    protected Duration lease() {
        return Duration.ofMillis(1_500);
    }

    @Override
    protected ClusterRegistry open(String instance, Duration lease) throws Exception {
        admin.sync().hset('{' + key + "}:entries", "", "1");
        TcpProxy proxy = new TcpProxy(server.port());
        ClusterRegistry registry =
                RedisRegistry.connect(RedisURI.create("127.0.0.1", proxy.port()), key, instance, lease);
        proxies.put(registry, proxy);
        return registry;
    }

    @Override
    protected void cut(ClusterRegistry registry) {
        Objects.requireNonNull(proxies.get(registry)).hang();
    }

    @Override
    protected void restore(ClusterRegistry registry) {
        Objects.requireNonNull(proxies.get(registry)).restore();
    }

    @AfterEach
    void stopProxies() throws Exception {
        for (TcpProxy proxy : proxies.values()) {
            proxy.close();
        }
    }
}
