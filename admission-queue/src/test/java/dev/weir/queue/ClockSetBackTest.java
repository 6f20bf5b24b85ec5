package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that block in a queue while its clock is set back by an hour. */
@Tag("real-time")
class ClockSetBackTest {
    private static final Duration WAIT = Duration.ofMillis(300);
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("limiter", new Semaphore(1)).ticker(time).build();
    private final AtomicReference<Object> ending = new AtomicReference<>();

    private AdmissionQueue queue(QueueSpec spec) {
        return AdmissionQueue.builder("limiter", limiter, spec)
                .ticker(time)
                .alarm(time::alarm)
                .build();
    }

    private void setBackWhileItParks(Runnable waits) {
        Thread thread = new Thread(waits);
        thread.setDaemon(true);
        thread.start();
        await().until(() ->
                thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
        time.jumpTo(time.read() - HOUR);
        await().until(() -> ending.get() != null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void S4_aBlockedThreadEndsInTime(boolean fair) {
        QueueSpec spec = QueueSpec.of(10);
        AdmissionQueue queue = queue(fair ? spec : spec.unfair(IntervalFunction.of(WAIT.plus(WAIT))));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        setBackWhileItParks(() -> {
            try {
                Decision decision = queue.acquire(Request.ONE, WAIT);
                ending.set(decision instanceof Rejection refused ? refused.reason() : decision);
            } catch (InterruptedException e) {
                ending.set(e);
            }
        });
        assertEquals(Reason.TIMED_OUT, ending.get());
        assertEquals(1, queue.snapshot().timedOut());
        held.close();
        queue.close();
    }

    @Test
    void S4_aSubmitterThatRunsItsTaskEndsInTime() {
        AdmissionQueue queue = queue(QueueSpec.of(1));
        Permit held = (Permit) queue.tryAcquire(Request.ONE);
        CompletableFuture<Decision> first = queue.acquireAsync(Request.ONE, Duration.ofHours(2));
        LimitedExecutor executor = LimitedExecutor.builder(Runnable::run, queue)
                .maxWait(WAIT)
                .rejecting(task -> {
                    first.cancel(false);
                    task.runHere();
                })
                .build();
        setBackWhileItParks(() -> {
            try {
                executor.execute(() -> ending.set("ran"));
            } catch (RejectedExecutionException e) {
                ending.set(((LimitExceededException) e.getCause()).rejection().reason());
            }
        });
        assertEquals(Reason.TIMED_OUT, ending.get());
        assertEquals(1, queue.snapshot().timedOut());
        assertEquals(0, queue.length());
        held.close();
        queue.close();
    }
}
