package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How many bytes a waiter takes: all that is allocated until it waits, its future included. */
class WaiterBytesTest {
    private static final int LINE = 1 << 17;
    private static final Duration HOUR = Duration.ofHours(1);

    private static AdmissionQueue full(int line) {
        ManagedLimiter limiter = Limiters.of("bytes", new Semaphore(1));
        limiter.tryAcquire();
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(line));
        for (int i = 0; i < line; i++) {
            assertEquals(false, queue.acquireAsync(Request.ONE, HOUR).isDone());
        }
        return queue;
    }

    @Test
    void S16_atMostTwoHundredBytesForAFutureWithATimeOut() {
        full(1 << 14).close();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        try (AdmissionQueue queue = full(LINE)) {
            long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / LINE;
            assertTrue(bytes <= 200, () -> bytes + " bytes a waiter");
            assertEquals(LINE, queue.snapshot().length());
        }
    }
}
