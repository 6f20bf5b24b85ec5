package dev.weir.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
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
    abstract static class Stores {
        private final Database database;
        private final JdbcStore store;

        Stores(Database database) {
            this.database = database;
            store = builder().build();
        }

        private JdbcStoreBuilder builder() {
            return JdbcStore.builder(database.source()).createTable().timeout(Duration.ofSeconds(10));
        }

        @AfterAll
        void close() {
            store.close();
            database.close();
        }

        private static <T> T answer(CompletionStage<T> stage) {
            return stage.toCompletableFuture().join();
        }

        private static Replacement first(String name, long number) {
            return new Replacement(name, 0, bytes(number), 0, HOUR);
        }

        private static Replacement next(String name, Stored last) {
            return new Replacement(name, last.version(), bytes(number(last) + 1), last.atMicros(), HOUR);
        }

        private static byte[] bytes(long number) {
            return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
        }

        private static long number(Stored stored) {
            byte[] state = stored.state();
            return state == null ? 0 : Long.parseLong(new String(state, StandardCharsets.US_ASCII));
        }

        @Test
        void eachReplacementIsMadeOrNotByItself() {
            Stored one = answer(store.replace(List.of(first("one", 1)))).get(0);
            List<Stored> stored = answer(store.replace(List.of(
                    first("two", 2),
                    first("one", 7),
                    new Replacement("none", 5, bytes(1), 0, HOUR),
                    new Replacement("late", 0, bytes(1), Long.MAX_VALUE / 8, HOUR))));
            assertTrue(one.isReplaced());
            assertEquals(
                    List.of(true, false, false, false),
                    stored.stream().map(Stored::isReplaced).toList());
            assertEquals(one.version(), stored.get(1).version());
            assertArrayEquals(bytes(1), stored.get(1).state());
            List<Stored> read = answer(store.read(List.of("late", "none", "two", "one")));
            assertEquals(
                    List.of(0L, 0L, 2L, 1L), read.stream().map(Stores::number).toList());
            Stored next = answer(store.replace(List.of(next("one", one)))).get(0);
            assertTrue(next.isReplaced() && next.version() != one.version() && next.atMicros() >= one.atMicros());
        }

        /** The clock of the database reaches the time of the replacement, or it is told that it has not. */
        @Test
        void nothingIsReplacedBeforeItsTime() {
            Stored one = answer(store.replace(List.of(first("early", 1)))).get(0);
            Replacement soon = new Replacement("early", one.version(), bytes(2), one.atMicros() + 300_000, HOUR);
            Stored last = one;
            int refused = 0;
            while (!last.isReplaced() || number(last) != 2) {
                last = answer(store.replace(List.of(soon))).get(0);
                refused += last.isReplaced() ? 0 : 1;
                assertEquals(last.isReplaced() ? 2 : 1, number(last));
            }
            assertTrue(refused > 0 && last.atMicros() >= soon.atMicros(), last::toString);
        }

        @Test
        void namesThatDifferInOneCharacterAreDifferent() {
            List<String> names = List.of(
                    "a",
                    "A",
                    "a ",
                    " a",
                    "\u00e4",
                    "a\u0308",
                    "\u00df",
                    "ss",
                    "\ud83d\ude00",
                    "\ud83d\ude01",
                    "'\"\\%_?",
                    "\n",
                    "\u0001",
                    "x".repeat(255),
                    "x".repeat(254) + "y",
                    "\u4e2d".repeat(255));
            List<Replacement> all = IntStream.range(0, names.size())
                    .mapToObj(i -> first(names.get(i), i + 1))
                    .toList();
            assertTrue(answer(store.replace(all)).stream().allMatch(Stored::isReplaced));
            List<Stored> read = answer(store.read(names));
            assertEquals(
                    IntStream.rangeClosed(1, names.size())
                            .mapToObj(i -> (long) i)
                            .toList(),
                    read.stream().map(Stores::number).toList());
        }

        @Test
        void aStateHasAnyBytes() {
            byte[] all = new byte[StateStore.LARGEST_STATE];
            new Random(1).nextBytes(all);
            List<Replacement> two = List.of(
                    new Replacement("large", 0, all, 0, HOUR), new Replacement("empty", 0, new byte[0], 0, HOUR));
            answer(store.replace(two));
            List<Stored> read = answer(store.read(List.of("large", "empty")));
            assertArrayEquals(all, read.get(0).state());
            assertArrayEquals(new byte[0], read.get(1).state());
        }

        /** Each waits for the lock of the other's rows, in another order of names. None is lost, and none is made twice. */
        @Test
        void concurrentReplacementsOfTheSameNamesLoseNothing() throws Exception {
            for (int keys : new int[] {1, 7}) {
                List<String> names =
                        IntStream.range(0, keys).mapToObj(i -> keys + "key" + i).toList();
                AtomicLong made = new AtomicLong();
                List<Thread> threads = new ArrayList<>();
                List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
                for (int i = 0; i < 6; i++) {
                    Random random = new Random(i);
                    Thread thread = new Thread(() -> count(names, made, random));
                    thread.setUncaughtExceptionHandler((ended, failure) -> failures.add(failure));
                    threads.add(thread);
                    thread.start();
                }
                for (Thread thread : threads) {
                    thread.join();
                }
                assertEquals(List.of(), failures);
                long sum = answer(store.read(names)).stream()
                        .mapToLong(Stores::number)
                        .sum();
                assertEquals(made.get(), sum);
            }
        }

        private void count(List<String> names, AtomicLong made, Random random) {
            Map<String, Stored> last = new HashMap<>();
            for (int round = 0; round < 100; round++) {
                List<String> order = new ArrayList<>(names);
                Collections.shuffle(order, random);
                List<Replacement> all = order.stream()
                        .map(name -> next(name, last.getOrDefault(name, Stored.absent(0))))
                        .toList();
                List<Stored> stored = answer(store.replace(all));
                for (int i = 0; i < all.size(); i++) {
                    last.put(order.get(i), stored.get(i));
                    made.addAndGet(stored.get(i).isReplaced() ? 1 : 0);
                }
            }
        }

        @Test
        void whatHasExpiredIsAbsentAndIsReplacedAsSuch() {
            Stored first = answer(store.replace(List.of(first("old", 1)))).get(0);
            expire("old");
            assertEquals(0, answer(store.read(List.of("old"))).get(0).version());
            assertFalse(
                    answer(store.replace(List.of(next("old", first)))).get(0).isReplaced());
            assertTrue(answer(store.replace(List.of(first("old", 3)))).get(0).isReplaced());
        }

        private void expire(String name) {
            execute("UPDATE weir_state SET expires = 1 WHERE name = '" + name + "'");
        }

        private void execute(String sql) {
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
                            .mapToObj(i -> first(prefix + i, 1))
                            .toList()));
                }
                execute("UPDATE swept SET expires = 1");
                await().until(() -> {
                    answer(other.replace(IntStream.range(0, 60)
                            .mapToObj(i -> first("new" + i, 1))
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
            answer(store.replace(List.of(first("locked", 1), first("free", 1))));
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
