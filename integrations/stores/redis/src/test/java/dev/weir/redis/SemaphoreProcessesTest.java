package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holders in processes of their own, which are killed and halted. */
@Tag("real-time")
@Needs(Server.REDIS)
class SemaphoreProcessesTest {
    private static final int LIMIT = 4;
    /** Renewed also by a process that waits long for a processor. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Of holders that need not renew it. */
    private static final Duration SHORT_LEASE = Duration.ofMillis(600);

    private static final Duration LIVENESS = Duration.ofMinutes(5);

    private final RedisServer server = RedisServer.inMemory();
    private final Redis redis = Redis.connect(server.uri());
    private final List<Process> processes = new ArrayList<>();
    private final HolderHistory history = new HolderHistory();

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
        redis.close();
        server.close();
    }

    private Process start(int limit, Duration lease, HolderProcess.Work work) throws IOException {
        Process process = HolderProcess.start(server.port(), limit, lease, work);
        processes.add(process);
        history.read(process);
        return process;
    }

    private void kill(Process process) {
        process.destroyForcibly();
        process.onExit().join();
        processes.remove(process);
    }

    private static void signal(Process process, String name) throws Exception {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        assertEquals(0, code);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void D13_whatKilledHoldersHeldIsFreeWhenTheirLeasesHaveEnded(int limit) throws Exception {
        int count = Stress.of(2, 8, 8);
        int kills = Stress.of(1, 5, 500);
        for (int i = 0; i < count; i++) {
            start(limit, SHORT_LEASE, HolderProcess.Work.TURNS);
        }
        Random random = new Random();
        for (int kill = 0; kill < kills; kill++) {
            int seen = history.grants();
            await().atMost(LIVENESS).until(() -> history.grants() > seen + 50);
            kill(processes.get(random.nextInt(processes.size())));
            start(limit, SHORT_LEASE, HolderProcess.Work.TURNS);
        }
        List.copyOf(processes).forEach(this::kill);
        StoreSemaphore semaphore = HolderProcess.semaphore(redis, limit, LEASE);
        List<LeasedPermit> taken = new ArrayList<>();
        await().atMost(LIVENESS).until(() -> {
            take(semaphore, taken);
            return taken.size() == limit;
        });
        assertFalse(take(semaphore, taken), "not one more");
        history.assertNeverAbove(limit);
        history.assertTokensGrow();
        taken.forEach(LeasedPermit::close);
    }

    private static boolean take(StoreSemaphore semaphore, List<LeasedPermit> taken) throws InterruptedException {
        Decision decision = semaphore.acquire(Request.ONE, Duration.ZERO);
        if (decision instanceof LeasedPermit permit) {
            taken.add(permit);
        }
        return decision instanceof LeasedPermit;
    }

    @Test
    void D13_aHaltedHolderLearnsThatItsPermitIsLostAndHasAnOlderToken() throws Exception {
        Process halted = start(LIMIT, LEASE, HolderProcess.Work.HOLD);
        await().atMost(LIVENESS).until(() -> history.grants() == 1);
        long old = history.tokens().get(0);
        StoreSemaphore semaphore = HolderProcess.semaphore(redis, LIMIT, LEASE);
        List<LeasedPermit> taken = new ArrayList<>();
        while (taken.size() < LIMIT - 1) {
            take(semaphore, taken);
        }
        assertFalse(take(semaphore, taken), "it is renewed");
        signal(halted, "STOP");
        await().atMost(LIVENESS).until(() -> take(semaphore, taken));
        assertFalse(history.isLost(old));
        signal(halted, "CONT");
        await().atMost(LIVENESS).until(() -> history.isLost(old));
        assertTrue(taken.stream().allMatch(permit -> permit.isHeld() && permit.fencingToken() > old));
        assertFalse(take(semaphore, taken));
    }

    /** The server forgets all. What is held is counted again before anything else is granted. */
    @Test
    void D13_aRestartOfTheServerGrantsNothingThatIsHeld() throws Exception {
        start(LIMIT, LEASE, HolderProcess.Work.HOLD);
        start(LIMIT, LEASE, HolderProcess.Work.HOLD);
        await().atMost(LIVENESS).until(() -> history.grants() == 2);
        StoreSemaphore semaphore = HolderProcess.semaphore(redis, LIMIT, LEASE);
        for (int restart = 0; restart < Stress.of(1, 5, 200); restart++) {
            server.kill();
            server.start();
            List<LeasedPermit> taken = new ArrayList<>();
            await().atMost(LIVENESS).until(() -> {
                take(semaphore, taken);
                return taken.size() == LIMIT - 2;
            });
            assertFalse(take(semaphore, taken));
            assertTrue(history.tokens().stream().noneMatch(history::isLost));
            taken.forEach(LeasedPermit::close);
        }
    }
}
