package dev.weir.jdbc;

import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.StateLeases;
import dev.weir.store.lease.contract.HolderProcessesContract;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Holders in processes of their own, which share a database. */
@Tag("real-time")
class SemaphoreProcessesOnDatabasesTest {
    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Holders {
        OnPostgres() {
            super(Database.postgres());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Holders {
        OnMariaDb() {
            super(Database.mariaDb());
        }
    }

    @Nested
    class OnH2 extends Holders {
        OnH2() {
            super(Database.h2Server());
        }
    }

    abstract static class Holders extends HolderProcessesContract {
        private final TestStore store;

        Holders(Database database) {
            store = TestStore.in(database);
        }

        @AfterEach
        void close() {
            store.close();
        }

        @Override
        protected Class<?> holder() {
            return DatabaseHolder.class;
        }

        @Override
        protected String address() {
            return store.database().url();
        }

        @Override
        protected Duration lease() {
            return Stress.of(Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(10));
        }

        @Override
        protected LeaseStore store() {
            return StateLeases.of(store.store());
        }
    }
}
