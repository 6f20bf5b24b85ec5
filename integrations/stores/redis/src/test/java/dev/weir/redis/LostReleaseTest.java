package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits that are released while the server does not answer, in virtual time. */
@Needs(Server.REDIS)
class LostReleaseTest {
    private static final long START = 1_755_840_000_000_000L;
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int LIMIT = 200;

    private static VirtualRedis server;

    private final VirtualTime time = new VirtualTime(0);
    private final StoreSemaphore semaphore = instance();

    @BeforeAll
    static void start() {
        server = new VirtualRedis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void reset() {
        server.redis().flushall();
        server.down(false);
        server.delayAnswers(false);
        server.answer();
        server.time(() -> START + time.read() / 1_000);
    }

    private StoreSemaphore instance() {
        return StoreSemaphore.builder("s", new Semaphore(LIMIT), server.leases(), WhenAway.closed())
                .lease(LEASE)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .build();
    }

    private static Decision tryOnce(StoreSemaphore semaphore, long permits) {
        return semaphore.acquireAsync(Request.of(permits), Duration.ZERO).join();
    }

    private static LeasedPermit permit(StoreSemaphore semaphore, long permits) {
        return assertInstanceOf(LeasedPermit.class, tryOnce(semaphore, permits));
    }

    private long counted() {
        return server.redis().zcard(VirtualRedis.KEY) - 1;
    }

    /** Releases {@code permits} while nothing reaches the server, for so many milliseconds. */
    private void cut(List<LeasedPermit> permits, long millis) {
        server.down(true);
        for (LeasedPermit each : permits) {
            time.advance(Duration.ofMillis(millis).dividedBy(permits.size()));
            assertTrue(each.release(Outcome.SUCCESS));
        }
        server.down(false);
    }

    private List<LeasedPermit> permits(int count) {
        List<LeasedPermit> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(permit(semaphore, 1));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, LIMIT})
    void whatIsReleasedInACutIsFreeSoonAfterIt(int count) {
        StoreSemaphore other = instance();
        LeasedPermit kept = count < LIMIT ? permit(other, LIMIT - count) : null;
        cut(permits(count), 300);
        time.advance(Duration.ofMillis(600));
        permit(other, count).close();
        if (kept != null) {
            assertTrue(kept.isHeld());
            assertEquals(1, counted(), "what the other holds is counted still");
            kept.close();
        }
        assertEquals(0, counted());
        semaphore.close();
        other.close();
        time.advance(LEASE);
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void aCutAsLongAsAlmostTheLeaseLosesNoRelease() {
        List<LeasedPermit> all = permits(3);
        cut(all, 6_000);
        time.advance(Duration.ofMillis(600));
        assertEquals(0, counted());
    }

    @Test
    void nothingIsReleasedTwice() {
        LeasedPermit first = permit(semaphore, LIMIT);
        server.delayAnswers(true);
        assertTrue(first.release(Outcome.SUCCESS));
        time.advance(Duration.ofMillis(250));
        server.delayAnswers(false);
        LeasedPermit second = permit(instance(), LIMIT);
        int before = server.commands();
        time.advance(Duration.ofSeconds(1));
        assertTrue(server.commands() > before, "the release was sent again");
        assertEquals(1, counted());
        assertTrue(second.isHeld());
        assertInstanceOf(Rejection.class, tryOnce(semaphore, 1));
        server.answer();
    }

    @Test
    void whatTheLeaseHasEndedIsNotSentAgain() {
        List<LeasedPermit> all = permits(3);
        server.down(true);
        all.forEach(each -> assertTrue(each.release(Outcome.SUCCESS)));
        semaphore.close();
        time.advance(LEASE.plusSeconds(1));
        int before = server.commands();
        server.down(false);
        time.advance(LEASE);
        assertEquals(before, server.commands());
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void aClosedSemaphoreReleasesStill() {
        List<LeasedPermit> all = permits(2);
        semaphore.close();
        cut(all, 300);
        time.advance(Duration.ofMillis(600));
        assertEquals(0, counted());
    }
}
