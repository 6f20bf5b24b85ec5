package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.executor.RejectionPolicy;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks of every kind, with limit, line and pool changed under them, in rounds that end in the middle of it. */
@Tag("proof")
class ExecutorLedgerTest {
    private static final int ROUNDS = 20;
    private static final int TASKS = 5_000;
    private static final int CHANGES = 5;
    private static final Duration EVER = Duration.ofDays(1);

    private static final List<RejectionPolicy> POLICIES = List.of(
            RejectionPolicy.abort(),
            RejectionPolicy.discard(),
            RejectionPolicy.discardOldest(),
            RejectionPolicy.callerRuns(),
            RejectionPolicy.fallback(TaskLoad.FALLBACK));

    @Test
    void X1_submittedIsSucceededFailedCancelledAndRejected() throws Exception {
        AtomicLong submitted = new AtomicLong();
        AtomicLong succeeded = new AtomicLong();
        int rounds = Stress.seconds(2, 60, 600).repeat(ROUNDS, number -> {
            int round = number % ROUNDS;
            int policy = round % POLICIES.size();
            boolean mayWaitLong = round >= POLICIES.size() && POLICIES.size() - 2 != policy;
            TaskLoad load = new TaskLoad(
                    round % 2 == 0 ? new Semaphore(4) : new Counter(4),
                    POLICIES.get(policy),
                    mayWaitLong ? EVER : Duration.ofMillis(1 + round),
                    TASKS,
                    CHANGES,
                    number);
            load.run();
            submitted.addAndGet(load.ledger().submitted());
            succeeded.addAndGet(load.ledger().succeeded());
        });
        assertEquals((long) rounds * TASKS, submitted.get());
        assertTrue(succeeded.get() > submitted.get() / 2, "most of it ran: " + succeeded + " of " + submitted);
    }
}
