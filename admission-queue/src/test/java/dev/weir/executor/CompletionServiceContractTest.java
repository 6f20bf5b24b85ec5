package dev.weir.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the JDK promises of an {@link ExecutorCompletionService}, over limited executors. */
class CompletionServiceContractTest {
    private static final int LIMIT = 2;

    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(LIMIT));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));
    private final ExecutorService pool = Executors.newFixedThreadPool(LIMIT + 1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private final LinkedBlockingQueue<Future<String>> completed = new LinkedBlockingQueue<>();
    private final List<ExecutorService> opened = new ArrayList<>();

    enum Form {
        OVER_A_POOL,
        OVER_AN_UNKNOWN_EXECUTOR
    }

    private ExecutorService executor(Form form) {
        ExecutorService executor = LimitedExecutor.of(form == Form.OVER_A_POOL ? pool : pool::execute, queue);
        opened.add(executor);
        return executor;
    }

    private CompletionService<String> service(Form form) {
        return new ExecutorCompletionService<>(executor(form), completed);
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        gate.countDown();
        opened.add(pool);
        for (ExecutorService each : opened) {
            each.shutdown();
            assertTrue(each.awaitTermination(2, TimeUnit.MINUTES));
        }
        Oracle.assertCapacity(LIMIT, limiter);
    }

    private String hangs() throws InterruptedException {
        gate.await();
        return "late";
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("NullAway")
    void nullIsRefused(Form form) {
        CompletionService<String> service = service(form);
        assertThrows(NullPointerException.class, () -> service.submit((Callable<String>) null));
        assertThrows(NullPointerException.class, () -> service.submit(null, "value"));
        assertNull(service.poll());
    }

    @ParameterizedTest
    @EnumSource
    void takesWhatWasSubmittedInOrderOfCompletion(Form form) throws Exception {
        CompletionService<String> service = service(form);
        Future<String> late = service.submit(this::hangs);
        Future<String> early = service.submit(() -> "early");
        Future<String> given = service.submit(() -> {}, "given");
        Set<Future<String>> first = new HashSet<>(List.of(service.take(), service.take()));
        assertEquals(Set.of(early, given), first);
        assertEquals("early", early.get());
        assertEquals("given", given.get());
        assertNull(service.poll());
        assertNull(service.poll(1, TimeUnit.MILLISECONDS));
        gate.countDown();
        assertSame(late, service.poll(1, TimeUnit.DAYS));
        assertEquals("late", late.get());
    }

    @ParameterizedTest
    @EnumSource
    void eachTaskIsCompletedOnceAndIsDoneThen(Form form) throws Exception {
        CompletionService<String> service = service(form);
        Set<Future<String>> open = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            int n = i;
            open.add(service.submit(() -> {
                if (n % 2 == 0) {
                    throw new IllegalStateException("made up");
                }
                return "value";
            }));
        }
        int failed = 0;
        for (int i = 0; i < 50; i++) {
            Future<String> next = service.take();
            assertTrue(next.isDone());
            assertTrue(open.remove(next));
            try {
                assertEquals("value", next.get());
            } catch (ExecutionException e) {
                assertEquals("made up", e.getCause().getMessage());
                failed++;
            }
        }
        assertEquals(25, failed);
        assertNull(service.poll());
    }

    @ParameterizedTest
    @EnumSource
    void aCancelledTaskIsCompletedOnce(Form form) throws Exception {
        CompletionService<String> service = service(form);
        CountDownLatch running = new CountDownLatch(1);
        Future<String> runs = service.submit(() -> {
            running.countDown();
            return hangs();
        });
        running.await();
        assertTrue(runs.cancel(true));
        assertSame(runs, service.take());
        assertTrue(runs.isCancelled());
        Future<String> next = service.submit(() -> "next");
        assertSame(next, service.take());
        assertEquals("next", next.get());
        assertNull(service.poll());
    }

    @ParameterizedTest
    @EnumSource
    void takeCanBeInterrupted(Form form) {
        CompletionService<String> service = service(form);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, service::take);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> service.poll(1, TimeUnit.DAYS));
    }

    @ParameterizedTest
    @EnumSource
    void afterShutdownWhatComesIsRefused(Form form) {
        CompletionService<String> service = service(form);
        opened.get(0).shutdown();
        assertThrows(RejectedExecutionException.class, () -> service.submit(() -> "refused"));
    }

    @ParameterizedTest
    @EnumSource
    void severalServicesShareAnExecutor(Form form) throws Exception {
        ExecutorService executor = executor(form);
        List<CompletionService<Integer>> services = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            services.add(new ExecutorCompletionService<>(executor));
        }
        for (int i = 0; i < 30; i++) {
            int n = i;
            Future<Integer> unused = services.get(n % 3).submit(() -> n);
            Future<Integer> direct = executor.submit(() -> -1);
            assertEquals(-1, direct.get());
        }
        for (int i = 0; i < 30; i++) {
            assertEquals(i % 3, services.get(i % 3).take().get() % 3);
        }
    }
}
