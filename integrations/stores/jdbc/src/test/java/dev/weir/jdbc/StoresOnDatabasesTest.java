package dev.weir.jdbc;

import dev.weir.store.contract.StateStoreContract;
import dev.weir.store.state.StateStore;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoresOnDatabasesTest {
    /* Of each database one, for all tests; each test has an instance of its own, with names of its own. */
    private final Map<String, TestStore> databases = new ConcurrentHashMap<>();

    @AfterAll
    void close() {
        databases.values().forEach(TestStore::close);
    }

    private TestStore in(String name, Supplier<Database> database) {
        return databases.computeIfAbsent(name, absent -> TestStore.in(database.get()));
    }

    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Stores {
        OnPostgres() {
            super(in("postgres", Database::postgres));
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Stores {
        OnMariaDb() {
            super(in("mariaDb", Database::mariaDb));
        }
    }

    /** Its columns ignore case if they do not say otherwise. */
    @Nested
    class OnH2 extends Stores {
        OnH2() {
            super(in("h2", () -> Database.h2(";IGNORECASE=TRUE")));
        }
    }

    abstract static class Stores extends StateStoreContract {
        private final TestStore first;
        private final List<JdbcStore> opened = new ArrayList<>();

        Stores(TestStore first) {
            this.first = first;
        }

        @AfterEach
        void closeAll() {
            opened.forEach(JdbcStore::close);
        }

        @Override
        protected StateStore open() {
            opened.add(TestStore.builder(first.database()).build());
            return opened.get(opened.size() - 1);
        }

        @Override
        protected boolean close(StateStore store) {
            ((JdbcStore) store).close();
            return true;
        }

        @Override
        protected void pass(Duration time) {
            first.pass(time);
        }

        /** MariaDB and H2 keep a value longer by the time-out of a statement. */
        @Override
        protected Duration expiry() {
            return Duration.ofMillis(5_100);
        }
    }
}
