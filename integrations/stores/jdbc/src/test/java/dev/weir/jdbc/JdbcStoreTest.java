package dev.weir.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.share.Share;
import dev.weir.share.ShareRegistry;
import dev.weir.store.Mode;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.StateLimits;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateRegistry;
import dev.weir.store.state.Stored;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

class JdbcStoreTest {
    private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;

    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Stores {
        OnPostgres() {
            super(Database.postgres());
        }

        @Override
        String typeThatIgnoresCase() {
            execute(
                    "CREATE COLLATION without_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            return "varchar(255) COLLATE without_case";
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Stores {
        OnMariaDb() {
            super(Database.mariaDb());
        }

        @Override
        String typeThatIgnoresCase() {
            return "varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
        }
    }

    @Nested
    class OnH2 extends Stores {
        OnH2() {
            super(Database.h2());
        }

        @Override
        String typeThatIgnoresCase() {
            return "VARCHAR_IGNORECASE(255)";
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Stores {
        private final Database database;
        private final JdbcStore store;

        Stores(Database database) {
            this.database = database;
            store = builder().build();
        }

        private JdbcStoreBuilder builder() {
            return TestStore.builder(database);
        }

        @AfterAll
        void close() {
            store.close();
            database.close();
        }

        private static <T> T answer(CompletionStage<T> stage) {
            return stage.toCompletableFuture().join();
        }

        private static Replacement first(String name) {
            return next(name, Stored.absent(0));
        }

        private static Replacement next(String name, Stored last) {
            return new Replacement(name, last.version(), new byte[] {1}, 0, HOUR);
        }

        abstract String typeThatIgnoresCase();

        final void execute(String sql) {
            try {
                database.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void expiredRowsAreRemovedInPassing() {
            try (JdbcStore other = builder().table("swept").build()) {
                for (int part = 0; part < 10; part++) {
                    String prefix = "old" + part + "-";
                    answer(other.replace(IntStream.range(0, 60)
                            .mapToObj(i -> first(prefix + i))
                            .toList()));
                }
                execute("UPDATE swept SET expires = 1");
                await().until(() -> {
                    answer(other.replace(IntStream.range(0, 60)
                            .mapToObj(i -> first("new" + i))
                            .toList()));
                    return rows("swept") == 60;
                });
            }
        }

        private long rows(String table) throws SQLException {
            try (Connection connection = database.source().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
                row.next();
                return row.getLong(1);
            }
        }

        /** Of an operator, for example. The call fails in time, and other names are not held up. */
        @Test
        void aLockedRowFailsItsCallInTime() throws Exception {
            answer(store.replace(List.of(first("locked"), first("free"))));
            try (JdbcStore other =
                            builder().timeout(Duration.ofMillis(400)).threads(2).build();
                    Connection holder = database.source().getConnection();
                    Statement statement = holder.createStatement()) {
                List<Stored> last = answer(other.read(List.of("locked", "free")));
                holder.setAutoCommit(false);
                statement.execute("UPDATE weir_state SET version = 7 WHERE name = 'locked'");
                CompletableFuture<List<Stored>> waits =
                        other.replace(List.of(next("locked", last.get(0)))).toCompletableFuture();
                assertTrue(answer(other.replace(List.of(next("free", last.get(1)))))
                        .get(0)
                        .isReplaced());
                assertThrows(CompletionException.class, waits::join);
                holder.rollback();
                await().until(() -> answer(other.replace(List.of(next("locked", last.get(0)))))
                        .get(0)
                        .isReplaced());
            }
        }

        @Test
        void severalInstancesMayCreateTheTable() {
            List<JdbcStore> stores = IntStream.range(0, 4)
                    .mapToObj(i -> builder().table("created").threads(1).build())
                    .toList();
            List<CompletionStage<List<Stored>>> answers =
                    stores.stream().map(one -> one.read(List.of("a"))).toList();
            answers.forEach(Stores::answer);
            stores.forEach(JdbcStore::close);
        }

        @Test
        void aTableThatTakesDifferentNamesForTheSameFailsEachCall() {
            execute("CREATE TABLE without_case (name " + typeThatIgnoresCase()
                    + " PRIMARY KEY, version BIGINT, expires BIGINT)");
            try (JdbcStore other = builder().table("without_case").build()) {
                CompletionException failed = assertThrows(CompletionException.class, () -> answer(other.ping()));
                assertTrue(failed.getMessage().contains("the column name of without_case must tell"), failed::toString);
            }
        }

        @Test
        void severalTablesOfOneProcessAreApart() {
            try (JdbcStore two = builder().table("limits_two").build()) {
                Stored ofTwo = answer(two.replace(List.of(first("same")))).get(0);
                assertTrue(ofTwo.isReplaced());
                try (JdbcStore one = builder().table("limits_one").build()) {
                    assertTrue(
                            answer(one.replace(List.of(first("same")))).get(0).isReplaced());
                }
                assertTrue(
                        answer(two.replace(List.of(next("same", ofTwo)))).get(0).isReplaced());
            }
        }

        @Test
        void aMissingTableFailsEachCall() {
            try (JdbcStore other =
                    JdbcStore.builder(database.source()).table("nowhere").build()) {
                CompletionException failed = assertThrows(CompletionException.class, () -> answer(other.ping()));
                assertInstanceOf(SQLException.class, failed.getCause());
            }
        }

        @Test
        void aClosedStoreFailsEachCallAndReturnsItsConnections() throws Exception {
            LentConnections source = new LentConnections(database.source());
            JdbcStore other =
                    JdbcStore.builder(source.source()).createTable().threads(3).build();
            answer(other.ping());
            other.close();
            other.close();
            CompletionException closed =
                    assertThrows(CompletionException.class, () -> answer(other.read(List.of("a"))));
            assertInstanceOf(IllegalStateException.class, closed.getCause());
            assertTrue(source.lent() > 0);
            assertEquals(0, source.open());
        }
    }

    @Test
    void aDatabaseCountsALimitForAllInstances() throws Exception {
        DataSource dataSource = Database.h2().source();
        // #region jdbc
        JdbcStore store = JdbcStore.builder(dataSource).createTable().build();
        StoreLimiter limiter = new StateLimits(store)
                .limiter("search", TokenBucket.of(100, Duration.ofSeconds(1)), Mode.exact(), WhenAway.local(8));
        Decision decision = limiter.acquire(Request.forKey("alice"), Duration.ZERO);
        // #endregion jdbc
        assertInstanceOf(Permit.class, decision);
        limiter.close();
        store.close();
    }

    @Test
    void aDatabaseHasTheInstancesThatShareAQuota() {
        DataSource dataSource = Database.h2().source();
        JdbcStore store = JdbcStore.builder(dataSource).createTable().build();
        ShareRegistry registry = StateRegistry.of(store, "shop", "instance-1", Duration.ofSeconds(2));
        ManagedLimiter limiter = Limiters.of("orders", new Semaphore(1));
        Share share = Share.builder("orders", registry, 60).degraded(5).limiting(limiter);
        await().until(() -> share.share() == 60);
        share.close();
        registry.close();
        store.close();
    }

    /** Of the whole database, so that no type of a column helps. */
    @Test
    void aDatabaseThatIgnoresCaseIsRefused() throws Exception {
        Database database = Database.h2();
        database.execute("SET DATABASE COLLATION ENGLISH STRENGTH PRIMARY");
        try (JdbcStore store = TestStore.builder(database).build()) {
            CompletionException failed = assertThrows(
                    CompletionException.class,
                    () -> store.ping().toCompletableFuture().join());
            assertTrue(failed.getMessage().contains("must tell"), failed::toString);
        }
    }

    @Test
    void versionsDiffer() {
        Versions versions = new Versions();
        HashSet<Long> all = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            long version = versions.next();
            assertTrue(version > 0 && all.add(version));
        }
    }

    @Test
    void anOptionThatIsWrongIsRefusedWithItsRule() {
        JdbcStoreBuilder builder = JdbcStore.builder(Database.source("jdbc:h2:mem:"));
        assertThrows(IllegalArgumentException.class, () -> builder.table("a; DROP TABLE b"));
        assertThrows(IllegalArgumentException.class, () -> builder.table(""));
        assertThrows(IllegalArgumentException.class, () -> builder.table("a..b"));
        assertThrows(IllegalArgumentException.class, () -> builder.threads(0));
        IllegalArgumentException wrong =
                assertThrows(IllegalArgumentException.class, () -> builder.timeout(Duration.ofSeconds(11)));
        assertEquals("timeout must be >= PT0.01S and <= PT10S, was PT11S", wrong.getMessage());
        builder.table("limits.weir_state").threads(1).timeout(Duration.ofMillis(10));
    }
}
