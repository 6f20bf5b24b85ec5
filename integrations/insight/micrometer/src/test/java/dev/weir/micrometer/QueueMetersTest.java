package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QueueMetersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ManagedLimiter limiter = Limiters.of("checkout\n", new Semaphore(1));
    private final AdmissionQueue queue = AdmissionQueue.builder(limiter.name(), limiter, QueueSpec.of(2))
            .ticker(time)
            .alarm(time::alarm)
            .executor(Runnable::run)
            .build();

    private double gauge(String meter) {
        return registry.get(meter).tag("name", "checkout_").gauge().value();
    }

    private double ended(String how) {
        return registry.get("weir.queue.ended")
                .tag("how", how)
                .functionCounter()
                .count();
    }

    @Test
    void anotherQueueOfTheSameNameIsRefusedAndRemovesNothing() {
        QueueMeters other = QueueMeters.of(AdmissionQueue.before(limiter, QueueSpec.of(1)));
        try (QueueMeters meters = QueueMeters.of(queue)) {
            meters.bindTo(registry);
            assertThrows(IllegalStateException.class, () -> other.bindTo(registry));
            other.close();
            queue.tryAcquire(Request.ONE);
            queue.acquireAsync(Request.ONE, SECOND);
            assertEquals(1, gauge("weir.queue.length"));
        }
        assertTrue(registry.getMeters().isEmpty());
    }

    @Test
    void rejectionsOfTheQueueAreAmongTheDecisions() {
        // #region meters
        try (WeirMeters decisions = WeirMeters.of(limiter);
                QueueMeters meters = QueueMeters.of(queue).before(decisions)) {
            decisions.bindTo(registry);
            meters.bindTo(registry);
            // #endregion meters
            queue.tryAcquire(Request.ONE);
            for (int i = 0; i < 3; i++) {
                queue.acquireAsync(Request.ONE, SECOND);
            }
            queue.tryAcquire(Request.ONE);
            time.advance(SECOND);
            queue.acquireAsync(Request.of(2), SECOND);
            assertEquals(1, refused("queue_full"));
            assertEquals(2, refused("timed_out"));
            assertEquals(1, refused("concurrency"));
            assertEquals(1, refused("never"));
            assertEquals(1, ended("limited"));
            assertEquals(1, ended("never"));
        }
    }

    private double refused(String reason) {
        return registry.get("weir.acquire")
                .tag("reason", reason)
                .functionCounter()
                .count();
    }

    @Test
    void whoWaitsAndHowItEnds() {
        try (QueueMeters meters = QueueMeters.of(queue)) {
            meters.bindTo(registry);
            assertThrows(IllegalStateException.class, () -> meters.bindTo(registry));
            Permit held = (Permit) queue.tryAcquire(Request.ONE);
            queue.acquireAsync(Request.ONE, SECOND);
            queue.acquireAsync(Request.of(1), Duration.ofSeconds(9));
            queue.acquireAsync(Request.ONE, SECOND);
            time.advance(Duration.ofMillis(250));
            assertEquals(2, gauge("weir.queue.length"));
            assertEquals(2, gauge("weir.queue.permits"));
            assertEquals(0.25, gauge("weir.queue.oldest.age"), 1e-9);
            assertEquals(1, ended("queue_full"));
            time.advance(SECOND);
            assertEquals(1, ended("timed_out"));
            held.close();
            assertEquals(1, ended("granted"));
            assertEquals(0, gauge("weir.queue.length"));
            Timer waits = registry.get("weir.wait").timer();
            assertEquals(2, waits.count());
            assertEquals(1 + 1.25, waits.totalTime(TimeUnit.SECONDS), 1e-9);
        }
        assertTrue(registry.getMeters().isEmpty());
    }
}
