package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.ExecutorLedger;
import dev.weir.queue.LimitedExecutor;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.RejectionPolicy;
import dev.weir.testkit.Oracle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Recursion into the end of the stack around every way into a queue and out, from many alignments: nothing is lost,
 * nobody stays in line. Also as the interpreter and each compiler alone have it, in processes of their own.
 */
class QueueStackTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int LIMIT = 1_000_000;
    private static final int RUNS = "long".equals(System.getProperty("weir.stress")) ? 10_000 : 500;
    private static final int RUNS_ELSEWHERE = 100;

    @Test
    void S15_inAcquire() throws Exception {
        acquire(RUNS);
    }

    @Test
    void S15_inALineThatWaits() throws Exception {
        waitInLine(RUNS);
    }

    @Test
    void S3_S15_whereAPermitComesHome() throws Exception {
        comeHome(RUNS);
    }

    @Test
    void X1_S15_inAnExecutor() throws Exception {
        submit(RUNS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"})
    void S3_S15_inAProcessThatRunsWith(String option) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(java, option, "-cp", classes, QueueStackTest.class.getName())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), printed);
    }

    public static void main(String[] args) {
        try {
            acquire(RUNS_ELSEWHERE);
            waitInLine(RUNS_ELSEWHERE);
            comeHome(RUNS_ELSEWHERE);
            submit(RUNS_ELSEWHERE);
            System.exit(0);
        } catch (Throwable t) {
            t.printStackTrace();
            System.exit(1);
        }
    }

    private static void acquire(int runs) throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(LIMIT));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1_000));
        StackEnd.reach(runs, () -> acquireAndRecurse(queue, EVER));
        limiter.dial().setLimit(100);
        Oracle.assertCapacity(100, limiter);
    }

    private static void waitInLine(int runs) throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1_000));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        StackEnd.reach(runs, () -> acquireAndRecurse(queue, Duration.ofNanos(100)));
        assertEquals(1, queue.snapshot().length());
        held.close();
        ((Permit) waiting.get(10, TimeUnit.SECONDS)).close();
        await().until(() -> queue.snapshot().length() == 0);
        Oracle.assertCapacity(1, limiter);
    }

    /* Whoever waits is let in by a permit that comes home where there is hardly any stack left to ask. */
    private static void comeHome(int runs) throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10));
        for (int run = 0; run < runs; run++) {
            Permit held = (Permit) queue.acquire(Request.ONE, EVER);
            CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
            StackEnd.reach(1, run, () -> releaseOnTheWayBack(held));
            ((Permit) waiting.get(10, TimeUnit.SECONDS)).close();
        }
        Oracle.assertCapacity(1, limiter);
    }

    private static void submit(int runs) throws Exception {
        ManagedLimiter limiter = Limiters.of("deep", new Semaphore(3));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1_000));
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AtomicInteger ran = new AtomicInteger();
        LimitedExecutor executor = LimitedExecutor.builder(pool, queue)
                .rejecting(RejectionPolicy.discard())
                .owningDelegate()
                .build();
        StackEnd.reach(runs, () -> submitAndRecurse(executor, ran::incrementAndGet));
        executor.shutdown();
        assertTrue(
                executor.awaitTermination(30, TimeUnit.SECONDS),
                () -> executor.ledger().toString());
        ExecutorLedger ledger = executor.ledger();
        assertEquals(ledger.submitted(), ledger.succeeded() + ledger.rejected());
        assertEquals(ran.get(), ledger.succeeded());
        Oracle.assertCapacity(3, limiter);
    }

    private static void submitAndRecurse(LimitedExecutor executor, Runnable task) {
        executor.execute(task);
        submitAndRecurse(executor, task);
    }

    private static void acquireAndRecurse(AdmissionQueue queue, Duration patience) {
        Decision decision;
        try {
            decision = queue.acquire(Request.ONE, patience);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        try {
            acquireAndRecurse(queue, patience);
        } finally {
            if (decision instanceof Permit permit) {
                permit.release(Outcome.SUCCESS);
            }
        }
    }

    private static void releaseOnTheWayBack(Permit held) {
        try {
            releaseOnTheWayBack(held);
        } finally {
            held.release(Outcome.SUCCESS);
        }
    }
}
