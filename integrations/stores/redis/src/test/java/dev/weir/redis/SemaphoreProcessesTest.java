package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.store.lease.contract.HolderProcess;
import dev.weir.store.lease.contract.HolderProcessesContract;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holders in processes of their own, which share a Redis server. */
@Tag("real-time")
@Needs(Server.REDIS)
class SemaphoreProcessesTest extends HolderProcessesContract {
    private final RedisServer server = RedisServer.inMemory();
    private final Redis redis = Redis.connect(server.uri());

    @AfterEach
    void stop() {
        redis.close();
        server.close();
    }

    @Override
    protected Class<?> holder() {
        return RedisHolder.class;
    }

    @Override
    protected String address() {
        return server.uri();
    }

    @Override
    protected LeaseStore store() {
        return redis.leases();
    }

    /** The server forgets all. What is held is counted again before anything else is granted. */
    @Test
    void D13_aRestartOfTheServerGrantsNothingThatIsHeld() throws Exception {
        start(LIMIT, lease(), HolderProcess.Work.HOLD);
        start(LIMIT, lease(), HolderProcess.Work.HOLD);
        await().atMost(LIVENESS).until(() -> history().grants() == 2);
        StoreSemaphore semaphore = semaphore(LIMIT);
        for (int restart = 0; restart < Stress.of(1, 5, 200); restart++) {
            server.kill();
            server.start();
            List<LeasedPermit> taken = new ArrayList<>();
            await().atMost(LIVENESS).until(() -> {
                take(semaphore, taken);
                return taken.size() == LIMIT - 2;
            });
            assertFalse(take(semaphore, taken));
            assertTrue(history().tokens().stream().noneMatch(history()::isLost));
            taken.forEach(LeasedPermit::close);
        }
    }
}
