package dev.weir.benchmarks;

import static dev.weir.benchmarks.Expect.released;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;

/** One permit to wait for: ours and the peers'. */
final class QueuePeers {
    static final Duration LONG = Duration.ofHours(1);

    private QueuePeers() {}

    static AdmissionQueue weir(QueueSpec spec) {
        return AdmissionQueue.before(Limiters.of("measured", new Semaphore(1)), spec);
    }

    static Decision passThrough(AdmissionQueue queue) throws InterruptedException {
        return released(queue.acquire(Request.ONE, LONG));
    }

    static Bulkhead resilience4j(boolean fair) {
        return Bulkhead.of(
                "measured",
                BulkheadConfig.custom()
                        .maxConcurrentCalls(1)
                        .maxWaitDuration(LONG)
                        .fairCallHandlingStrategyEnabled(fair)
                        .build());
    }
}
