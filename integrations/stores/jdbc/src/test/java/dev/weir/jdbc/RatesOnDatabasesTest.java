package dev.weir.jdbc;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.RateContract;
import dev.weir.store.state.Operation;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/** The states of all rates, which a database holds between two steps. */
class RatesOnDatabasesTest {
    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Rates {
        OnPostgres() {
            super(Database.postgres());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Rates {
        OnMariaDb() {
            super(Database.mariaDb());
        }
    }

    @Nested
    class OnH2 extends Rates {
        OnH2() {
            super(Database.h2());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Rates extends RateContract {
        private final TestStore store;

        Rates(Database database) {
            store = TestStore.in(database);
        }

        @AfterAll
        void close() {
            store.close();
        }

        @Override
        protected Reply step(
                StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
            return store.step(spec, operation, permits, grantedAt, key, micros);
        }
    }
}
