package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Oracle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks without a future over delegates that run them on the thread that submits them, which waits for their permits. */
@Tag("real-time")
class SubmitterWaitsTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    private final List<Reason> refused = new ArrayList<>();
    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(1));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(10));

    /** A delegate, by what it does with a task. */
    private record Form(String name, Executor delegate, RejectionPolicy policy) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Form> forms() {
        ThreadPoolExecutor busy = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());
        busy.setThreadFactory(SubmitterWaitsTest::daemon);
        busy.execute(LockSupport::park);
        Executor swallows = task -> {
            try {
                task.run();
            } catch (RuntimeException ignored) {
                // As some delegates do.
            }
        };
        return Stream.of(
                new Form("direct", Runnable::run, RejectionPolicy.abort()),
                new Form("swallows", swallows, RejectionPolicy.abort()),
                new Form("caller runs", Runnable::run, RejectionPolicy.callerRuns()),
                new Form("pool runs on its caller", busy, RejectionPolicy.abort()));
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    @AfterEach
    void everyPermitIsBack() {
        queue.close();
        Oracle.assertCapacity(1, limiter);
        assertEquals(0, queue.length());
    }

    @ParameterizedTest
    @MethodSource("forms")
    void aSubmitterThatWaitsTimesOut(Form form) {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onRejected(Request request, Rejection rejection) {
                refused.add(rejection.reason());
            }
        });
        LimitedExecutor executor = LimitedExecutor.builder(form.delegate, queue)
                .maxWait(SHORT)
                .rejecting(form.policy)
                .build();
        Permit held = (Permit) limiter.tryAcquire();
        AtomicReference<Object> ending = new AtomicReference<>();
        daemon(() -> ending.set(ending(executor))).start();
        await().until(() -> ending.get() != null);
        RejectedExecutionException thrown = assertInstanceOf(RejectedExecutionException.class, ending.get());
        assertEquals(Reason.TIMED_OUT, ExecutorBench.refusedBy(thrown));
        assertEquals(List.of(Reason.TIMED_OUT), refused, "counted once");
        assertEquals(1, queue.snapshot().timedOut());
        assertEquals(0, queue.snapshot().cancelled());
        assertEquals(1, executor.ledger().rejected());
        held.close();
        assertEquals("done", ending(executor));
        assertEquals(0, executor.ledger().open());
    }

    private static Object ending(LimitedExecutor executor) {
        try {
            return CompletableFuture.supplyAsync(() -> "done", executor).join();
        } catch (RejectedExecutionException e) {
            return e;
        }
    }

    @Test
    void aPermitThatComesInTimeIsForTheSubmitter() {
        LimitedExecutor executor = LimitedExecutor.builder(Runnable::run, queue)
                .maxWait(Duration.ofMinutes(5))
                .build();
        Permit held = (Permit) limiter.tryAcquire();
        AtomicReference<Object> ending = new AtomicReference<>();
        daemon(() -> ending.set(ending(executor))).start();
        await().until(() -> queue.length() == 1);
        held.close();
        await().until(() -> ending.get() != null);
        assertEquals("done", ending.get());
    }
}
