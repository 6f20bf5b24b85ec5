package dev.weir.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StateLeases;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Semaphores of several instances in this process, over a database. */
class SemaphoresOnDatabasesTest {
    @Nested
    @Needs(Server.POSTGRES)
    class OnPostgres extends Semaphores {
        OnPostgres() {
            super(Database.postgres());
        }
    }

    @Nested
    @Needs(Server.MARIADB)
    class OnMariaDb extends Semaphores {
        OnMariaDb() {
            super(Database.mariaDb());
        }
    }

    @Nested
    class OnH2 extends Semaphores {
        OnH2() {
            super(Database.h2());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Semaphores {
        private static final int INSTANCES = 4;
        private static final Duration LONG = Duration.ofMinutes(1);

        private final Database database;
        private final List<AutoCloseable> opened = new ArrayList<>();

        Semaphores(Database database) {
            this.database = database;
        }

        @AfterEach
        void closeAll() throws Exception {
            for (AutoCloseable each : opened) {
                each.close();
            }
            opened.clear();
        }

        @AfterAll
        void close() {
            database.close();
        }

        private StoreSemaphore instance(String name, long limit) {
            JdbcStore jdbcStore = TestStore.builder(database).threads(1).build();
            StoreSemaphore semaphore = StoreSemaphore.builder(
                            name, new Semaphore(limit), StateLeases.of(jdbcStore), WhenAway.closed())
                    .timeout(Duration.ofSeconds(5))
                    .build();
            opened.add(semaphore);
            opened.add(jdbcStore);
            return semaphore;
        }

        @Test
        void D13_instancesShareALimitUntilTheirPermitsAreReleased() throws Exception {
            StoreSemaphore a = instance("export", 2);
            StoreSemaphore b = instance("export", 2);
            Decision first = a.acquire(Request.ONE, Duration.ZERO);
            Decision second = b.acquire(Request.ONE, Duration.ZERO);
            assertInstanceOf(Rejection.class, a.acquire(Request.ONE, Duration.ZERO));
            CompletableFuture<Decision> waits = b.acquireAsync(Request.ONE, LONG);
            assertInstanceOf(LeasedPermit.class, first).close();
            LeasedPermit third = assertInstanceOf(LeasedPermit.class, waits.get(1, TimeUnit.MINUTES));
            assertTrue(third.fencingToken() > ((LeasedPermit) second).fencingToken());
            b.close();
            assertEquals(
                    Rejection.Reason.CANCELLED,
                    assertInstanceOf(Rejection.class, b.acquire(Request.ONE, LONG))
                            .reason());
            assertTrue(third.isHeld(), "after it was closed too");
            third.close();
            ((LeasedPermit) second).close();
            await().until(() -> a.acquire(Request.of(2), Duration.ZERO) instanceof Permit);
        }

        /** Many requests of each instance that wait, without one that is missing in the end. */
        @Test
        @Tag("real-time")
        void D13_neverMoreThanTheLimitRunAndAllThatWaitGetTheirTurn() throws Exception {
            int requests = Stress.of(20, 200, 5_000);
            AtomicLong running = new AtomicLong();
            AtomicLong most = new AtomicLong();
            AtomicLong refused = new AtomicLong();
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < INSTANCES; i++) {
                StoreSemaphore semaphore = instance("work", 3);
                for (int request = 0; request < requests; request++) {
                    all.add(semaphore
                            .acquireAsync(Request.ONE, Duration.ofMinutes(5))
                            .thenAccept(decision -> {
                                if (decision instanceof Permit permit) {
                                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                    running.decrementAndGet();
                                    permit.release(Outcome.SUCCESS);
                                } else {
                                    refused.incrementAndGet();
                                }
                            }));
                }
            }
            Object unused = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .get(5, TimeUnit.MINUTES);
            assertEquals(0, refused.get());
            assertTrue(most.get() >= 1 && most.get() <= 3, () -> most + " were running");
        }
    }
}
