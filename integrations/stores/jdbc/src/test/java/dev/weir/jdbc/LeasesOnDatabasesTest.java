package dev.weir.jdbc;

import dev.weir.store.contract.LeaseStoreContract;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.StateLeases;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

class LeasesOnDatabasesTest {
    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Stores {
        OnPostgres() {
            super(Database.postgres());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Stores {
        OnMariaDb() {
            super(Database.mariaDb());
        }
    }

    @Nested
    class OnH2 extends Stores {
        OnH2() {
            super(Database.h2());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Stores extends LeaseStoreContract {
        private final Database database;
        private final List<JdbcStore> opened = new ArrayList<>();

        Stores(Database database) {
            this.database = database;
        }

        @AfterEach
        void closeStores() {
            opened.forEach(JdbcStore::close);
            opened.clear();
        }

        @AfterAll
        void close() {
            database.close();
        }

        @Override
        protected LeaseStore store() {
            JdbcStore store = TestStore.builder(database).threads(1).build();
            opened.add(store);
            return StateLeases.of(store);
        }
    }
}
