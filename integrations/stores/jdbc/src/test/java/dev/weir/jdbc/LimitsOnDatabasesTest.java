package dev.weir.jdbc;

import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreLimit;
import dev.weir.store.contract.StoreLimitContract;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

@Tag("real-time")
class LimitsOnDatabasesTest {
    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Limits {
        OnPostgres() {
            super(Database.postgres());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Limits {
        OnMariaDb() {
            super(Database.mariaDb());
        }
    }

    @Nested
    class OnH2 extends Limits {
        OnH2() {
            super(Database.h2());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Limits extends StoreLimitContract {
        private final TestStore store;

        Limits(Database database) {
            store = TestStore.in(database);
        }

        @AfterAll
        void close() {
            store.close();
        }

        @Override
        protected StoreLimit open(String name, StrategySpec spec) {
            return store.limit(name, spec);
        }

        @Override
        protected void pass(Duration time) {
            store.pass(time);
        }
    }
}
