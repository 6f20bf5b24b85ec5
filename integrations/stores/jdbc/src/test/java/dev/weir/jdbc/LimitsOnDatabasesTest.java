package dev.weir.jdbc;

import dev.weir.algorithms.LeakyBucket;
import dev.weir.store.StoreLimit;
import dev.weir.store.contract.StoreLimitContract;
import dev.weir.store.rates.StateLimiters;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

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
        private final Database database;
        private final JdbcStore store;

        Limits(Database database) {
            this.database = database;
            store = JdbcStore.builder(database.source()).createTable().build();
        }

        @AfterAll
        void close() {
            store.close();
            database.close();
        }

        @Override
        protected StoreLimit open(long permits, Duration period, long burst) {
            return StateLimiters.limit(
                    UUID.randomUUID().toString(),
                    LeakyBucket.of(permits, period).withBurst(burst - 1),
                    store);
        }

        @Override
        protected void pass(Duration time) {
            long end = clock() + time.toNanos() / 1_000;
            while (clock() < end) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        /** Of the database, in microseconds. */
        private long clock() {
            return store.read(List.of("clock"))
                    .toCompletableFuture()
                    .join()
                    .get(0)
                    .atMicros();
        }
    }
}
