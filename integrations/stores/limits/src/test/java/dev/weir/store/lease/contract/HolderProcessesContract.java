package dev.weir.store.lease.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.Stress;
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

/** Holders of one semaphore in processes of their own, which are killed and halted. A test extends this for each store. */
@Tag("contract")
@Tag("real-time")
public abstract class HolderProcessesContract {
    /** What processes hold and renew at most. */
    protected static final int LIMIT = 4;

    /** Of holders that need not renew it. */
    private static final Duration SHORT_LEASE = Duration.ofMillis(600);

    protected static final Duration LIVENESS = Duration.ofMinutes(5);

    private final List<Process> processes = new ArrayList<>();
    private final HolderHistory history = new HolderHistory();

    /** A class whose {@code main} calls {@link HolderProcess#run}. */
    protected abstract Class<?> holder();

    /** How a process finds the store, in which nothing is held. */
    protected abstract String address();

    /** The same store, in this process. */
    protected abstract LeaseStore store();

    /** Of holders that renew it, also while they wait long for a processor. Default: 10 seconds. */
    protected Duration lease() {
        return Duration.ofSeconds(10);
    }

    @AfterEach
    final void endProcesses() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    /** What the processes print. */
    protected final HolderHistory history() {
        return history;
    }

    /** Starts a process, whose history is read. */
    protected final Process start(int limit, Duration lease, HolderProcess.Work work) throws IOException {
        Process process = HolderProcess.start(holder(), address(), limit, lease, work);
        processes.add(process);
        history.read(process);
        return process;
    }

    /** The semaphore of the processes, in this one. */
    protected final StoreSemaphore semaphore(int limit) {
        return HolderProcess.semaphore(store(), limit, lease());
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

    /** Whether one more permit was taken. */
    protected static boolean take(StoreSemaphore semaphore, List<LeasedPermit> taken) throws InterruptedException {
        Decision decision = semaphore.acquire(Request.ONE, Duration.ZERO);
        if (decision instanceof LeasedPermit permit) {
            taken.add(permit);
        }
        return decision instanceof LeasedPermit;
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
        StoreSemaphore semaphore = semaphore(limit);
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

    @Test
    void D13_aHaltedHolderLearnsThatItsPermitIsLostAndHasAnOlderToken() throws Exception {
        Process halted = start(LIMIT, lease(), HolderProcess.Work.HOLD);
        await().atMost(LIVENESS).until(() -> history.grants() == 1);
        long old = history.tokens().get(0);
        StoreSemaphore semaphore = semaphore(LIMIT);
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
        taken.forEach(LeasedPermit::close);
    }
}
