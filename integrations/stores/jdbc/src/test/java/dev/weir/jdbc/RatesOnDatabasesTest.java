package dev.weir.jdbc;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.RateContract;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.Step;
import dev.weir.store.state.Stored;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
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
        private final Database database;
        private final JdbcStore store;

        Rates(Database database) {
            this.database = database;
            store = JdbcStore.builder(database.source()).createTable().build();
        }

        @AfterAll
        void close() {
            store.close();
            database.close();
        }

        @Override
        protected Reply step(
                StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
            Stored before = answer(store.read(List.of(key)));
            Step step = StateRates.of(spec).step(before.state(), operation, permits, grantedAt, micros);
            byte[] state = step.state();
            if (state != null) {
                Replacement next = new Replacement(key, before.version(), state, 0, Replacement.FOREVER);
                Stored after = answer(store.replace(List.of(next)));
                Assertions.assertTrue(after.isReplaced(), after::toString);
            }
            return step.reply();
        }

        private static Stored answer(CompletionStage<List<Stored>> stage) {
            return stage.toCompletableFuture().join().get(0);
        }
    }
}
