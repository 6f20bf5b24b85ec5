package dev.weir.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Delegates that capture a context where they are called: each task runs in that of its own submitter. */
@Tag("proof")
class LimitedExecutorContextTest {
    private static final int LIMIT = 2;
    private static final int SUBMITTERS = 8;
    /* A worker is woken for each, beside busy processes after a time slice. */
    private static final int TASKS = 4_000;
    private static final int FEWER = TASKS / 10;
    private static final int BATCH = 25;

    private final ThreadLocal<@Nullable String> user = new ThreadLocal<>();
    private final ThreadLocal<@Nullable String> inherited = new InheritableThreadLocal<>();
    private final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(LIMIT));
    private final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(SUBMITTERS * BATCH));
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private final AtomicInteger max = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger waited = new AtomicInteger();

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        pool.shutdown();
        assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
        Oracle.assertCapacity(LIMIT, limiter);
    }

    /** As a decorated executor captures: Spring Security's, OpenTelemetry's. */
    private Executor capturing(Executor executor) {
        return task -> executor.execute(captured(task));
    }

    private Runnable captured(Runnable task) {
        String of = user.get();
        return () -> {
            String former = user.get();
            user.set(of);
            try {
                task.run();
            } finally {
                user.set(former);
            }
        };
    }

    /** As a pool with a task decorator captures: in its own {@code execute}. */
    private static final class Decorating extends ThreadPoolExecutor {
        private final UnaryOperator<Runnable> decorator;

        Decorating(int threads, UnaryOperator<Runnable> decorator) {
            super(threads, threads, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
            this.decorator = decorator;
        }

        @Override
        public void execute(Runnable task) {
            super.execute(decorator.apply(task));
        }
    }

    @Test
    void X4_aDelegateThatWrapsSeesEachTaskInItsSubmittersContext() throws Exception {
        everyTaskSeesItsSubmitter(capturing(pool), user, TASKS);
    }

    @Test
    void X4_aPoolThatDecoratesSeesEachTaskInItsSubmittersContext() throws Exception {
        for (int threads : new int[] {1, 2, 5}) {
            Decorating decorating = new Decorating(threads, this::captured);
            try {
                everyTaskSeesItsSubmitter(decorating, user, threads == LIMIT ? TASKS : FEWER);
            } finally {
                decorating.shutdown();
            }
        }
    }

    @Test
    void X4_aThreadForEachTaskInheritsItsSubmittersContext() throws Exception {
        everyTaskSeesItsSubmitter(task -> new Thread(task).start(), inherited, TASKS);
    }

    /* By reflection, as the tests compile on 17. */
    @Test
    void X4_aVirtualThreadForEachTaskInheritsItsSubmittersContext() throws Exception {
        if (Runtime.version().feature() >= 21) {
            ExecutorService virtual = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            everyTaskSeesItsSubmitter(virtual, inherited, TASKS);
            everyTaskSeesItsSubmitter(capturing(virtual), user, FEWER);
            virtual.shutdown();
        }
    }

    @Test
    void X4_aForkJoinPoolBehindAWrapper() throws Exception {
        everyTaskSeesItsSubmitter(capturing(ForkJoinPool.commonPool()), user, FEWER);
    }

    private void everyTaskSeesItsSubmitter(Executor delegate, ThreadLocal<@Nullable String> context, int tasks)
            throws Exception {
        Stress.seconds(0.5, 10, 100).repeat(1, round -> everyTask(delegate, context, tasks));
    }

    private void everyTask(Executor delegate, ThreadLocal<@Nullable String> context, int tasks) throws Exception {
        int before = waited.get();
        // The first batches wait, however fast the tasks are.
        List<Permit> taken = Stream.generate(this::taken).limit(LIMIT).toList();
        LimitedExecutor executor = LimitedExecutor.of(delegate, queue);
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            String mine = "user " + i;
            submitters.add(new Thread(() -> {
                try {
                    context.set(mine);
                    submit(executor, context, mine, tasks / SUBMITTERS / BATCH);
                } catch (Throwable t) {
                    failed.compareAndSet(null, t);
                }
            }));
        }
        submitters.add(new Thread(() -> {
            context.set("somebody else, who returns permits");
            while (queue.snapshot().length() < SUBMITTERS * BATCH && failed.get() == null) {
                Thread.yield();
            }
            taken.forEach(Permit::close);
            while (submitters.get(0).isAlive() && failed.get() == null) {
                if (limiter.tryAcquire() instanceof Permit permit) {
                    permit.close();
                }
                Thread.yield();
            }
        }));
        submitters.forEach(Thread::start);
        for (Thread submitter : submitters) {
            submitter.join();
        }
        assertNull(failed.get());
        executor.shutdown();
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES), executor.ledger()::toString);
        assertEquals(new ExecutorLedger(tasks, tasks, 0, 0, 0, 0), executor.ledger());
        assertTrue(max.get() <= LIMIT, max::toString);
        assertTrue(waited.get() - before >= SUBMITTERS * (BATCH - 1), waited::toString);
    }

    private Permit taken() {
        while (true) {
            if (limiter.tryAcquire() instanceof Permit permit) {
                return permit;
            }
            Thread.yield();
        }
    }

    private void submit(LimitedExecutor executor, ThreadLocal<@Nullable String> context, String mine, int batches)
            throws Exception {
        for (int batch = 0; batch < batches; batch++) {
            List<Future<String>> seen = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                if (queue.snapshot().length() > 0) {
                    waited.incrementAndGet();
                }
                seen.add(
                        i % 5 == 0
                                ? CompletableFuture.supplyAsync(() -> seen(context), executor)
                                : executor.submit(() -> seen(context)));
            }
            for (Future<String> each : seen) {
                assertEquals(mine, each.get());
            }
        }
    }

    private String seen(ThreadLocal<@Nullable String> context) {
        max.accumulateAndGet(running.incrementAndGet(), Math::max);
        String seen = context.get();
        for (int i = 0; i < 100; i++) {
            Thread.onSpinWait(); // not a yield, which beside busy processes costs a time slice
        }
        running.decrementAndGet();
        return seen == null ? "nobody" : seen;
    }
}
