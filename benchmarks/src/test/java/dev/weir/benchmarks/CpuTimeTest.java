package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.IterationResultMetaData;
import org.openjdk.jmh.results.Result;

/** Whose CPU time counts. */
class CpuTimeTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 1_000;
    private static final long WORK = 20_000_000;

    private final CpuTime cpu = new CpuTime();
    private final ExecutorService worker = Executors.newSingleThreadExecutor();

    @BeforeEach
    void start() throws Exception {
        worker.submit(() -> {}).get();
        cpu.beforeIteration(null, null);
    }

    @AfterEach
    void stop() {
        worker.shutdownNow();
    }

    private static void work() {
        long until = THREADS.getCurrentThreadCpuTime() + WORK;
        while (THREADS.getCurrentThreadCpuTime() < until) {
            Thread.onSpinWait();
        }
    }

    private Collection<? extends Result<?>> after() {
        return after(cpu);
    }

    private static Collection<? extends Result<?>> after(CpuTime cpu) {
        IterationResultMetaData operations = new IterationResultMetaData(1, OPERATIONS);
        return cpu.afterIteration(null, null, new IterationResult(null, null, operations));
    }

    private static double nanos(CpuTime cpu) {
        return after(cpu).iterator().next().getScore();
    }

    @Test
    void thatOfAnotherThreadDividedByAllOperations() throws Exception {
        Collection<? extends Result<?>> results = List.of();
        for (int attempt = 0; attempt < 10 && results.isEmpty(); attempt++) { // of this JVM other threads start too
            cpu.beforeIteration(null, null);
            worker.submit(CpuTimeTest::work).get();
            results = after();
        }
        double nanos = results.iterator().next().getScore();
        assertTrue(nanos >= (double) WORK / OPERATIONS, () -> nanos + " ns");
    }

    @Test
    void notThatOfTheThreadThatStartsTheIterations() throws Exception {
        CpuTime startedByWorker = new CpuTime();
        worker.submit(() -> startedByWorker.beforeIteration(null, null)).get();
        work();
        double more = nanos(startedByWorker) - nanos(cpu);
        assertTrue(more > 0.5 * WORK / OPERATIONS, () -> more + " ns");
    }

    @Test
    void unknownIfAThreadStarted() throws Exception {
        Thread other = new Thread(CpuTimeTest::work);
        other.start();
        other.join();
        assertEquals(List.of(), after());
    }
}
