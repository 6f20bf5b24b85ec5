package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.executor.RejectionPolicy;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks of every kind, with limit, line and pool changed under them, in rounds that end in the middle of it. */
@Tag("proof")
class ExecutorLedgerTest {
    private static final int ROUNDS = 20;
    private static final int TASKS = Stress.of(100_000, 1_000_000, 10_000_000) / ROUNDS;
    private static final int CHANGES = Stress.of(100, 1_000, 10_000) / ROUNDS;
    private static final Duration EVER = Duration.ofDays(1);

    private static final List<RejectionPolicy> POLICIES = List.of(
            RejectionPolicy.abort(),
            RejectionPolicy.discard(),
            RejectionPolicy.discardOldest(),
            RejectionPolicy.callerRuns(),
            RejectionPolicy.fallback(TaskLoad.FALLBACK));

    @Test
    void X1_submittedIsSucceededFailedCancelledAndRejected() throws Exception {
        long submitted = 0;
        long succeeded = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int policy = round % POLICIES.size();
            boolean mayWaitLong = round >= POLICIES.size() && POLICIES.size() - 2 != policy;
            TaskLoad load = new TaskLoad(
                    round % 2 == 0 ? new Semaphore(4) : new Counter(4),
                    POLICIES.get(policy),
                    mayWaitLong ? EVER : Duration.ofMillis(1 + round),
                    TASKS,
                    CHANGES,
                    round);
            load.run();
            submitted += load.ledger().submitted();
            succeeded += load.ledger().succeeded();
        }
        assertEquals((long) ROUNDS * TASKS, submitted);
        assertTrue(succeeded > submitted / 2, "most of it ran: " + succeeded + " of " + submitted);
    }
}
