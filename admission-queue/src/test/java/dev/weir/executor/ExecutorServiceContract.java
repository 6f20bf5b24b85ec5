package dev.weir.executor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the JDK promises of an {@link ExecutorService}, tested on one that runs {@value #AT_ONCE} tasks at once. */
@Tag("contract")
abstract class ExecutorServiceContract {
    static final int AT_ONCE = 2;
    private static final Callable<String> VALUE = () -> "value";
    private static final Runnable NOTHING = () -> {};

    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger interrupted = new AtomicInteger();
    private ExecutorService executor;

    /** A new one, which at least 100 tasks may wait for. */
    abstract ExecutorService create();

    @BeforeEach
    void begin() {
        executor = create();
    }

    @AfterEach
    void end() throws InterruptedException {
        gate.countDown();
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertTrue(executor.isTerminated());
        checkAfterwards();
    }

    /** What must hold once it has terminated. */
    void checkAfterwards() throws InterruptedException {}

    private Callable<String> hangs(CountDownLatch running) {
        return () -> {
            running.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
            return "held";
        };
    }

    /** Occupies it. */
    private List<Future<String>> held() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(AT_ONCE);
        List<Future<String>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            all.add(executor.submit(hangs(running)));
        }
        running.await();
        return all;
    }

    private static Callable<String> fails(Exception with) {
        return () -> {
            throw with;
        };
    }

    @Test
    void executeRunsItsCommandOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        executor.execute(() -> {
            runs.incrementAndGet();
            done.countDown();
        });
        done.await();
        end();
        assertEquals(1, runs.get());
    }

    @Test
    @SuppressWarnings("NullAway")
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> executor.execute(null));
        assertThrows(NullPointerException.class, () -> executor.submit((Runnable) null));
        assertThrows(NullPointerException.class, () -> executor.submit((Callable<String>) null));
        assertThrows(NullPointerException.class, () -> executor.submit(null, "value"));
        assertThrows(NullPointerException.class, () -> executor.invokeAll(null));
        assertThrows(NullPointerException.class, () -> executor.invokeAny(null));
        assertThrows(NullPointerException.class, () -> executor.invokeAll(List.of(VALUE), 1, null));
        assertThrows(NullPointerException.class, () -> executor.invokeAny(List.of(VALUE), 1, null));
        List<Callable<String>> oneIsNull = new ArrayList<>(List.of(VALUE));
        oneIsNull.add(null);
        assertThrows(NullPointerException.class, () -> executor.invokeAll(oneIsNull));
        assertThrows(
                NullPointerException.class, () -> executor.invokeAny(Collections.singleton((Callable<String>) null)));
    }

    @Test
    void submitGivesWhatTheTaskGives() throws Exception {
        assertEquals("value", executor.submit(VALUE).get());
        assertNull(executor.submit(NOTHING).get());
        assertEquals("given", executor.submit(NOTHING, "given").get());
        assertEquals("value", executor.submit(VALUE).get(1, TimeUnit.DAYS));
    }

    @Test
    void submitGivesWhatTheTaskThrows() {
        IOException checked = new IOException("made up");
        Error error = new AssertionError("made up");
        assertSame(
                checked,
                assertThrows(
                                ExecutionException.class,
                                () -> executor.submit(fails(checked)).get())
                        .getCause());
        Future<?> failing = executor.submit((Runnable) () -> {
            throw error;
        });
        assertSame(error, assertThrows(ExecutionException.class, failing::get).getCause());
        assertTrue(failing.isDone());
        assertFalse(failing.isCancelled() || failing.cancel(true));
    }

    @Test
    void aTaskThatThrowsHurtsNoOther() throws Exception {
        for (int i = 0; i < 10; i++) {
            executor.submit(fails(new IOException("made up")));
        }
        assertEquals("value", executor.submit(VALUE).get());
    }

    @Test
    void whatHappenedBeforeSubmissionIsSeenAndWhatTheTaskDidToo() throws Exception {
        int[] plain = new int[1];
        for (int i = 0; i < 1_000; i++) {
            int n = i;
            plain[0] = n;
            executor.submit(() -> {
                        assertEquals(n, plain[0]);
                        plain[0] = n + 1;
                    })
                    .get();
            assertEquals(n + 1, plain[0]);
        }
    }

    @Test
    void aFutureCanBeAwaitedByManyForATimeAndInterrupted() throws Exception {
        Future<String> held = held().get(0);
        assertThrows(TimeoutException.class, () -> held.get(1, TimeUnit.MILLISECONDS));
        assertFalse(held.isDone());
        AtomicInteger got = new AtomicInteger();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(new Thread(() -> {
                try {
                    got.addAndGet("held".equals(held.get()) ? 1 : 0);
                } catch (InterruptedException e) {
                    got.addAndGet(10);
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        readers.forEach(Thread::start);
        readers.get(0).interrupt();
        readers.get(0).join();
        gate.countDown();
        for (Thread reader : readers) {
            reader.join();
        }
        assertEquals(12, got.get());
    }

    @Test
    void aTaskThatIsCancelledBeforeItRunsNeverRuns() throws Exception {
        List<Future<String>> held = held();
        AtomicBoolean ran = new AtomicBoolean();
        Future<?> waiting = executor.submit(() -> ran.set(true));
        assertTrue(waiting.cancel(false));
        assertTrue(waiting.isCancelled() && waiting.isDone());
        assertFalse(waiting.cancel(true));
        assertThrows(CancellationException.class, waiting::get);
        gate.countDown();
        for (Future<String> each : held) {
            assertEquals("held", each.get());
        }
        end();
        assertFalse(ran.get());
    }

    @Test
    void cancellingInterruptsTheTaskThatRuns() throws Exception {
        List<Future<String>> held = held();
        assertTrue(held.get(0).cancel(true));
        assertThrows(CancellationException.class, held.get(0)::get);
        await().until(() -> interrupted.get() == 1);
        assertTrue(held.get(1).cancel(false));
        gate.countDown();
        end();
        assertEquals(1, interrupted.get());
    }

    @Test
    void anInterruptedTaskLeavesNoInterruptBehind() throws Exception {
        held().forEach(each -> each.cancel(true));
        for (int i = 0; i < 20; i++) {
            assertFalse(executor.submit(() -> Thread.currentThread().isInterrupted())
                    .get());
        }
    }

    @Test
    void tasksMaySubmitTasks() throws Exception {
        Future<Future<String>> outer = executor.submit(() -> executor.submit(VALUE));
        assertEquals("value", outer.get().get());
    }

    @Test
    void invokeAllRunsAllAndKeepsTheirOrder() throws Exception {
        assertEquals(List.of(), executor.invokeAll(List.<Callable<String>>of()));
        IOException thrown = new IOException("made up");
        List<Future<String>> all = executor.invokeAll(List.of(() -> "first", fails(thrown), () -> "third"));
        assertTrue(all.stream().allMatch(Future::isDone));
        assertEquals("first", all.get(0).get());
        assertSame(
                thrown, assertThrows(ExecutionException.class, all.get(1)::get).getCause());
        assertEquals("third", all.get(2).get());
        all = executor.invokeAll(List.of(VALUE, VALUE, VALUE), 1, TimeUnit.DAYS);
        for (Future<String> each : all) {
            assertEquals("value", each.get());
        }
    }

    @Test
    void invokeAllCancelsWhatIsNotDoneInTime() throws Exception {
        CountDownLatch unused = new CountDownLatch(1);
        List<Future<String>> all =
                executor.invokeAll(List.of(hangs(unused), hangs(unused), hangs(unused)), 20, TimeUnit.MILLISECONDS);
        assertEquals(3, all.size());
        assertTrue(all.stream().allMatch(Future::isCancelled));
        assertEquals("value", executor.submit(VALUE).get());
    }

    @Test
    void anInterruptedInvokeAllCancelsAll() throws Exception {
        CountDownLatch running = new CountDownLatch(AT_ONCE);
        AtomicReferenceOf thrown = new AtomicReferenceOf();
        Thread caller = new Thread(() -> {
            try {
                executor.invokeAll(List.of(hangs(running), hangs(running), hangs(running)));
            } catch (Throwable t) {
                thrown.value = t;
            }
        });
        caller.start();
        running.await();
        caller.interrupt();
        caller.join();
        assertTrue(thrown.value instanceof InterruptedException);
        await().until(() -> interrupted.get() >= AT_ONCE);
    }

    private static final class AtomicReferenceOf {
        volatile @Nullable Throwable value;
    }

    @Test
    void invokeAnyGivesTheFirstThatSucceeds() throws Exception {
        CountDownLatch unused = new CountDownLatch(1);
        Callable<String> failing = fails(new IOException("made up"));
        assertEquals("value", executor.invokeAny(List.of(VALUE)));
        assertEquals("value", executor.invokeAny(List.of(failing, hangs(unused), VALUE, failing)));
        assertEquals("value", executor.invokeAny(List.of(failing, VALUE), 1, TimeUnit.DAYS));
        assertEquals("value", executor.submit(VALUE).get());
    }

    @Test
    void invokeAnyFailsAsItsTasksDo() {
        assertThrows(IllegalArgumentException.class, () -> executor.invokeAny(List.<Callable<String>>of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> executor.invokeAny(List.<Callable<String>>of(), 1, TimeUnit.SECONDS));
        IOException thrown = new IOException("made up");
        assertSame(
                thrown,
                assertThrows(ExecutionException.class, () -> executor.invokeAny(List.of(fails(thrown))))
                        .getCause());
        CountDownLatch unused = new CountDownLatch(1);
        // Of a task that has not begun within its time, cancelling interrupts no thread.
        await().until(() -> {
            assertThrows(
                    TimeoutException.class,
                    () -> executor.invokeAny(List.of(hangs(unused)), 10, TimeUnit.MILLISECONDS));
            return interrupted.get() > 0;
        });
    }

    @Test
    void afterShutdownWhatWaitsRunsAndWhatComesIsRefused() throws Exception {
        held();
        Future<String> waiting = executor.submit(VALUE);
        assertFalse(executor.isShutdown() || executor.isTerminated());
        executor.shutdown();
        executor.shutdown();
        assertTrue(executor.isShutdown());
        assertFalse(executor.isTerminated());
        assertFalse(executor.awaitTermination(0, TimeUnit.SECONDS));
        assertFalse(executor.awaitTermination(1, TimeUnit.MILLISECONDS));
        assertThrows(RejectedExecutionException.class, () -> executor.execute(NOTHING));
        assertThrows(RejectedExecutionException.class, () -> executor.submit(VALUE));
        assertThrows(RejectedExecutionException.class, () -> executor.invokeAll(List.of(VALUE)));
        assertThrows(RejectedExecutionException.class, () -> executor.invokeAny(List.of(VALUE)));
        gate.countDown();
        assertEquals("value", waiting.get());
    }

    @Test
    void shutdownNowInterruptsWhatRunsAndReturnsTheRest() throws Exception {
        held();
        List<Future<String>> waiting = List.of(executor.submit(VALUE), executor.submit(VALUE), executor.submit(VALUE));
        List<Runnable> never = executor.shutdownNow();
        assertEquals(3, never.size());
        assertTrue(executor.isShutdown());
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES));
        assertEquals(AT_ONCE, interrupted.get());
        assertEquals(List.of(), executor.shutdownNow());
        assertThrows(RejectedExecutionException.class, () -> executor.execute(NOTHING));
        checkNeverRun(waiting);
    }

    /** What has become of the futures of tasks that {@code shutdownNow} returned. */
    void checkNeverRun(List<Future<String>> returned) {
        assertTrue(returned.stream().allMatch(Future::isCancelled));
    }

    @Test
    void awaitTerminationCanBeInterrupted() throws Exception {
        held();
        executor.shutdown();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> executor.awaitTermination(1, TimeUnit.DAYS));
        assertFalse(Thread.interrupted());
    }

    @Test
    void noTaskIsLostUnderLoad() throws Exception {
        AtomicInteger done = new AtomicInteger();
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            submitters.add(new Thread(() -> {
                try {
                    for (int batch = 0; batch < 50; batch++) {
                        List<Future<?>> all = new ArrayList<>();
                        for (int n = 0; n < 20; n++) {
                            all.add(executor.submit(done::incrementAndGet));
                        }
                        for (Future<?> each : all) {
                            each.get();
                        }
                    }
                } catch (InterruptedException | ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        submitters.forEach(Thread::start);
        for (Thread submitter : submitters) {
            submitter.join();
        }
        assertEquals(4_000, done.get());
    }
}
