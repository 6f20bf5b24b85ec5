package dev.weir.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.state.Replacement;
import dev.weir.store.state.Stored;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Statements that fail: they change nothing, and are executed again if that is certain. */
class FailedStatementsTest {
    private static final int ATTEMPTS = 5;
    private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;

    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Statements {
        OnPostgres() {
            super(Database.postgres(), "SELECT nextval('calls') - 1");
        }

        @Override
        void refuse(String table, String state) throws SQLException {
            database.execute("CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN PERFORM nextval('calls'); RAISE EXCEPTION USING ERRCODE = '" + state + "'; END $$");
            database.execute(
                    "CREATE TRIGGER refused BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION refuse()");
        }

        @Test
        void aDeadlockIsUndone() throws SQLException {
            assertEquals(ATTEMPTS, callsRefusedWith("40P01"));
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Statements {
        OnMariaDb() {
            super(Database.mariaDb(), "SELECT NEXTVAL(calls) - 1");
        }

        @Override
        void refuse(String table, String state) throws SQLException {
            database.execute("CREATE TRIGGER refused_" + table + " BEFORE INSERT ON " + table
                    + " FOR EACH ROW BEGIN SET @call = NEXTVAL(calls); SIGNAL SQLSTATE '" + state
                    + "' SET MYSQL_ERRNO = 1213; END");
        }
    }

    @Nested
    class OnH2 extends Statements {
        OnH2() {
            super(Database.h2(), "SELECT NEXT VALUE FOR calls - 1");
        }

        @Override
        void refuse(String table, String state) throws SQLException {
            database.execute("CREATE TRIGGER refused_" + state + " BEFORE INSERT ON " + table + " FOR EACH ROW CALL '"
                    + Refusal.class.getName() + "'");
        }

        @Test
        void anInsertOfTheSameNameIsUndone() throws SQLException {
            assertEquals(ATTEMPTS, callsRefusedWith("23505"));
        }

        /** While it waits, H2 executes it again and again: what it has made stays made. */
        @Test
        void whatIsMadeBesideANameThatAnotherInsertsIsToldAsMade() throws Exception {
            try (JdbcStore store = store("raced");
                    Connection holder = database.source().getConnection()) {
                store.ping().toCompletableFuture().join();
                holder.setAutoCommit(false);
                holder.createStatement().execute("INSERT INTO raced VALUES ('b', 7, X'01', 9000000000000000)");
                CompletableFuture<List<Stored>> waits = replace(store, "a", "b", "c");
                await().until(() -> number(
                                "SELECT count(*) FROM INFORMATION_SCHEMA.SESSIONS"
                                        + " WHERE EXECUTING_STATEMENT LIKE '%FINAL TABLE%INTO raced%' AND SESSION_ID <> SESSION_ID()")
                        == 1);
                holder.commit();
                List<Stored> stored = waits.join();
                assertTrue(stored.get(0).isReplaced());
                assertFalse(stored.get(1).isReplaced());
                assertEquals(7, stored.get(1).version());
                assertTrue(stored.get(2).isReplaced());
            }
        }
    }

    /** Of H2: counts the call, and fails it with the state in its name. */
    public static final class Refusal implements Trigger {
        private String state = "";

        @Override
        public void init(Connection connection, String schema, String name, String table, boolean before, int type) {
            state = name.substring(name.indexOf('_') + 1);
        }

        @Override
        public void fire(Connection connection, Object[] old, Object[] row) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT NEXT VALUE FOR calls");
            }
            throw new SQLException("refused", state);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Statements {
        final Database database;
        private final String calls;
        private int tables;

        Statements(Database database, String calls) {
            this.database = database;
            this.calls = calls;
        }

        @AfterAll
        void close() {
            database.close();
        }

        /** Each insert into this table is counted in a sequence, and fails with this state. */
        abstract void refuse(String table, String state) throws SQLException;

        final JdbcStore store(String table) {
            return JdbcStore.builder(database.source())
                    .createTable()
                    .table(table)
                    .timeout(Duration.ofSeconds(2))
                    .build();
        }

        static CompletableFuture<List<Stored>> replace(JdbcStore store, String... names) {
            return store.replace(Stream.of(names)
                            .map(name -> new Replacement(name, 0, new byte[] {1}, 0, HOUR))
                            .toList())
                    .toCompletableFuture();
        }

        final long number(String sql) throws SQLException {
            try (Connection connection = database.source().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        }

        final long callsRefusedWith(String state) throws SQLException {
            String table = "refused" + tables++;
            database.execute("DROP SEQUENCE IF EXISTS calls");
            database.execute("CREATE SEQUENCE calls");
            try (JdbcStore store = store(table)) {
                store.ping().toCompletableFuture().join();
                refuse(table, state);
                assertThrows(
                        CompletionException.class, () -> replace(store, "a").join());
            }
            return number(calls);
        }

        @Test
        void aStatementThatIsUndoneIsExecutedAgain() throws SQLException {
            assertEquals(ATTEMPTS, callsRefusedWith("40001"));
        }

        @Test
        void aStatementOfWhichThatIsNotKnownIsNot() throws SQLException {
            assertEquals(1, callsRefusedWith("40003"), "its end is not known");
            assertEquals(1, callsRefusedWith("40000"), "rolled back, for a reason that is not known");
        }

        @Test
        void aConstraintIsNotTriedAgain() throws SQLException {
            assertEquals(1, callsRefusedWith("23514"));
        }

        /** Of several names one is locked until the end of the time-out. */
        @Test
        void aStatementThatFailsChangesNothing() throws Exception {
            try (JdbcStore store = store("whole");
                    Connection holder = database.source().getConnection()) {
                store.ping().toCompletableFuture().join();
                replace(store, "b").join();
                holder.setAutoCommit(false);
                holder.createStatement().execute("UPDATE whole SET version = 7 WHERE name = 'b'");
                CompletableFuture<List<Stored>> failed = store.replace(List.of(
                                new Replacement("a", 0, new byte[] {1}, 0, HOUR),
                                new Replacement("b", read(store, "b").version(), new byte[] {1}, 0, HOUR),
                                new Replacement("c", 0, new byte[] {1}, 0, HOUR)))
                        .toCompletableFuture();
                assertThrows(CompletionException.class, failed::join);
                holder.rollback();
                assertEquals(0, read(store, "a").version());
                assertEquals(0, read(store, "c").version());
            }
        }

        private static Stored read(JdbcStore store, String name) {
            return store.read(List.of(name)).toCompletableFuture().join().get(0);
        }
    }
}
