package dev.weir.jdbc;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.RateContract;
import dev.weir.store.contract.SettledRateContract;
import dev.weir.store.state.Operation;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/** The states of all rates, also by cost, which a database holds between two steps. */
class RatesOnDatabasesTest {
    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends States {
        OnPostgres() {
            super(Database.postgres());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends States {
        OnMariaDb() {
            super(Database.mariaDb());
        }
    }

    @Nested
    class OnH2 extends States {
        OnH2() {
            super(Database.h2());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class States {
        private final TestStore store;

        States(Database database) {
            store = TestStore.in(database);
        }

        @AfterAll
        void close() {
            store.close();
        }

        @Nested
        @TestInstance(TestInstance.Lifecycle.PER_CLASS)
        class Rates extends RateContract {
            @Override
            protected Reply step(
                    StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
                return store.step(spec, operation, permits, grantedAt, key, micros);
            }
        }

        @Nested
        @TestInstance(TestInstance.Lifecycle.PER_CLASS)
        class RatesByCost extends SettledRateContract {
            @Override
            protected Reply step(
                    StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
                return store.step(spec, operation, permits, grantedAt, "by cost " + key, micros);
            }
        }
    }
}
