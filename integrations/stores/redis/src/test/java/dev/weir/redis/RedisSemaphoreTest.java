package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.store.lease.contract.SemaphoreContract;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The leased semaphore over a real server, in virtual time. */
@Needs(Server.REDIS)
class RedisSemaphoreTest extends SemaphoreContract {
    private static VirtualRedis server;

    private long since;

    @BeforeAll
    static void start() {
        server = new VirtualRedis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected VirtualStore empty(VirtualTime time, LongSupplier clock) {
        server.redis().flushall();
        server.down(false);
        server.delayAnswers(false);
        server.answer();
        server.time(clock);
        server.since(() -> since);
        return server;
    }

    @Test
    void D13_afterARestartHoldersRenewBeforeOthersAreGranted() {
        LeasedPermit held = permit(semaphore());
        advance(Duration.ofSeconds(1));
        server.redis().flushall();
        since = START + 1_000_000;
        StoreSemaphore other = another();
        Rejection refused = assertInstanceOf(Rejection.class, tryOnce(other));
        assertEquals(LEASE.toNanos(), refused.retryAfterNanos());
        advance(LEASE);
        assertTrue(held.isHeld());
        permit(other);
        permit(other);
        assertRefused(Reason.CONCURRENCY, tryOnce(other));
    }
}
