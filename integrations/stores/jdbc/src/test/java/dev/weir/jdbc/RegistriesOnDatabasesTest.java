package dev.weir.jdbc;

import dev.weir.config.contract.TcpProxy;
import dev.weir.share.ShareRegistry;
import dev.weir.share.contract.ShareRegistryContract;
import dev.weir.store.state.StateRegistry;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** Instances in a database. Each has connections of its own, through a proxy of its own. */
@Tag("real-time")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RegistriesOnDatabasesTest {
    /* Of each database one, for all tests; each test has a service of its own. */
    private final Map<String, Database> databases = new ConcurrentHashMap<>();
    private final AtomicInteger services = new AtomicInteger();

    @AfterAll
    void close() {
        databases.values().forEach(Database::close);
    }

    private Database in(String name, Supplier<Database> database) {
        return databases.computeIfAbsent(name, absent -> database.get());
    }

    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Registries {
        OnPostgres() {
            super(in("postgres", Database::postgres), services.getAndIncrement());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Registries {
        OnMariaDb() {
            super(in("mariaDb", Database::mariaDb), services.getAndIncrement());
        }
    }

    @Nested
    class OnH2 extends Registries {
        OnH2() {
            super(in("h2", Database::h2Server), services.getAndIncrement());
        }
    }

    abstract static class Registries extends ShareRegistryContract {
        private final Database database;
        private final String service;
        private final Map<ShareRegistry, TcpProxy> proxies = new HashMap<>();
        private final List<AutoCloseable> opened = new ArrayList<>();

        Registries(Database database, int service) {
            this.database = database;
            this.service = "service" + service;
        }

        @AfterEach
        void close() throws Exception {
            for (AutoCloseable one : opened) {
                one.close();
            }
        }

        @Override
        protected Duration lease() {
            return Duration.ofSeconds(1);
        }

        @Override
        protected ShareRegistry open(String instance, Duration lease) throws IOException {
            TcpProxy proxy = new TcpProxy(database.port());
            opened.add(proxy);
            JdbcStore store = JdbcStore.builder(database.sourceAt(proxy.port()))
                    .createTable()
                    .threads(2)
                    .build();
            opened.add(store);
            ShareRegistry registry = StateRegistry.of(store, service, instance, lease);
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
    }
}
