package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.ExecutorLedger;
import dev.weir.executor.LimitedExecutor;
import dev.weir.executor.RejectionPolicy;
import dev.weir.executor.ResizableThreadPool;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import io.github.resilience4j.core.ContextPropagator;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One executor's life: two submitters, one that changes everything meanwhile, and a shutdownNow before they have finished.
 * What became of each task is counted from its future, apart from the executor's own ledger.
 */
final class TaskLoad {
    static final String FALLBACK = "fallback";

    private static final String DONE = "done";
    private static final String WORKERS_OWN = "worker's own";
    private static final int SUBMITTERS = 2;
    private static final int WINDOW = 32;
    private static final int SIZES = 6;

    private final ManagedLimiter limiter;
    private final AdmissionQueue queue;
    private final ResizableThreadPool pool;
    private final LimitedExecutor executor;
    private final int tasks;
    private final int changes;
    private final int seed;
    private final Carried context = new Carried();
    private final AtomicLong submissions = new AtomicLong();
    private final AtomicLong leaks = new AtomicLong();
    private final AtomicLong bare = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private final ConcurrentLinkedQueue<Future<String>> futures = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Thread> workers = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    private volatile int changed;
    private volatile boolean stopping;

    /** Hides the pool, so that the executor must take it for one that captures, in every third round. */
    TaskLoad(StrategySpec spec, RejectionPolicy policy, Duration maxWait, int tasks, int changes, int seed) {
        this.tasks = tasks;
        this.changes = changes;
        this.seed = seed;
        limiter = Limiters.of("ledger", spec);
        queue = AdmissionQueue.before(limiter, QueueSpec.of(2 * WINDOW));
        pool = ResizableThreadPool.of(2, SIZES, WINDOW, this::worker);
        ExecutorService delegate = seed % 3 == 0 ? Executors.unconfigurableExecutorService(pool) : pool;
        executor = LimitedExecutor.builder(delegate, queue)
                .rejecting(policy)
                .maxWait(maxWait)
                .propagating(List.of(context))
                .owningDelegate()
                .build();
    }

    ExecutorLedger ledger() {
        return executor.ledger();
    }

    private Thread worker(Runnable work) {
        Thread thread = new Thread(() -> {
            context.value.set(WORKERS_OWN);
            work.run();
            leakedUnless(WORKERS_OWN.equals(context.value.get()));
        });
        thread.setUncaughtExceptionHandler((t, e) -> {});
        workers.add(thread);
        return thread;
    }

    private void leakedUnless(boolean clean) {
        if (!clean) {
            leaks.incrementAndGet();
        }
    }

    void run() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int mine = i;
            threads.add(guarded(() -> submit(new SplittableRandom(seed * SUBMITTERS + mine))));
        }
        threads.add(guarded(this::change));
        threads.forEach(Thread::start);
        parkUntil(tasks - tasks / 20);
        stopping = true;
        executor.shutdownNow();
        for (Future<String> future : futures) {
            ended(future);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failed.get());
        assertTrue(executor.awaitTermination(2, TimeUnit.MINUTES), executor.ledger()::toString);
        for (Thread thread : workers) {
            thread.join();
        }
        assertBalanced();
    }

    private Thread guarded(Runnable body) {
        return new Thread(() -> {
            try {
                body.run();
            } catch (Throwable t) {
                failed.compareAndSet(null, t);
            }
        });
    }

    private void parkUntil(long submitted) {
        while (submissions.get() < submitted && failed.get() == null) {
            LockSupport.parkNanos(50_000);
        }
    }

    private void assertBalanced() throws Exception {
        long done = 0;
        long failures = 0;
        long others = thrown.get();
        for (Future<String> future : futures) {
            String ending = ended(future);
            done += DONE.equals(ending) ? 1 : 0;
            failures += ending == null ? 1 : 0;
            others += DONE.equals(ending) || ending == null ? 0 : 1;
        }
        ExecutorLedger ledger = executor.ledger();
        assertEquals(tasks, ledger.submitted(), ledger::toString);
        assertEquals(0, ledger.open(), ledger::toString);
        assertEquals(tasks, done + failures + others + bare.get(), ledger::toString);
        assertTrue(done <= ledger.succeeded() && ledger.succeeded() <= done + bare.get(), done + ", " + ledger);
        assertEquals(failures, ledger.failed(), ledger::toString);
        assertEquals(changes, changed);
        assertEquals(0, leaks.get(), "contexts and interrupts that leaked");
        assertEquals(0, queue.snapshot().length());
        Oracle.assertCapacity(limiter.dial().limit(), limiter);
    }

    /** What it gave, null if the task threw; it has had its end after shutdownNow. */
    private static @Nullable String ended(Future<String> future) throws Exception {
        try {
            return future.get(2, TimeUnit.MINUTES);
        } catch (CancellationException e) {
            return "cancelled";
        } catch (ExecutionException e) {
            return e.getCause() instanceof RejectedExecutionException ? "rejected" : null;
        }
    }

    private void submit(SplittableRandom random) {
        Thread me = Thread.currentThread();
        List<Future<String>> hanging = new ArrayList<>();
        Future<String> last = null;
        for (int i = 1; i <= tasks / SUBMITTERS; i++) {
            String tag = "task " + random.nextInt(1_000);
            context.value.set(tag);
            int kind = random.nextInt(1_000);
            try {
                Future<String> future = submit(kind, tag, me);
                if (future != null) {
                    futures.add(future);
                    if (kind < 3) {
                        hanging.add(future);
                    } else {
                        last = future;
                    }
                    if (kind > 980) {
                        future.cancel(kind % 2 == 0);
                    }
                }
            } catch (RejectedExecutionException e) {
                thrown.incrementAndGet();
            }
            leakedUnless(tag.equals(context.value.get()));
            submissions.incrementAndGet();
            if (i % WINDOW == 0) {
                hanging.forEach(future -> future.cancel(true));
                hanging.clear();
                await(last);
            }
        }
        hanging.forEach(future -> future.cancel(true));
    }

    /** Null if there is no future. */
    private @Nullable Future<String> submit(int kind, String tag, Thread submitter) {
        if (kind < 3) {
            return executor.submit(() -> hang(tag, submitter));
        } else if (kind < 20) {
            return executor.submit(() -> {
                check(tag);
                throw new IllegalStateException("made up");
            });
        } else if (kind < 30) {
            return executor.submit(() -> {
                check(tag);
                context.value.set("left behind");
                throw new AssertionError("made up");
            });
        } else if (kind < 60) {
            bare.incrementAndGet();
            execute(tag);
            return null;
        } else {
            return executor.submit(() -> {
                check(tag, kind > 980);
                return DONE;
            });
        }
    }

    private void execute(String tag) {
        try {
            executor.execute(() -> check(tag));
        } catch (RejectedExecutionException e) {
            assertTrue(e.getCause() != null);
        }
    }

    private void check(String tag) {
        check(tag, false);
    }

    private void check(String tag, boolean cancelled) {
        boolean interrupted = Thread.currentThread().isInterrupted() && !cancelled && !stopping;
        leakedUnless(tag.equals(context.value.get()) && !interrupted);
    }

    /* Its submitter, where that runs it himself, could not cancel it. */
    private String hang(String tag, Thread submitter) throws InterruptedException {
        check(tag, true);
        if (Thread.currentThread() != submitter) {
            new CountDownLatch(1).await();
        }
        return DONE;
    }

    private static void await(@Nullable Future<String> future) {
        try {
            if (future != null) {
                future.get();
            }
        } catch (ExecutionException | CancellationException e) {
            assertTrue(future.isDone());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void change() {
        SplittableRandom random = new SplittableRandom(seed);
        for (int change = 0; change < changes; change++) {
            parkUntil((long) (tasks - tasks / 10) / changes * change);
            int size = 1 + random.nextInt(SIZES);
            switch (change % 5) {
                case 0 -> limiter.dial().setLimit(size);
                case 1 -> queue.reconfigure(line(random, size));
                case 2 -> pool.setLimit(size);
                case 3 -> pool.resizeQueue(WINDOW * size);
                default -> limiter.reconfigure(swapped(size));
            }
            changed = change + 1;
        }
    }

    private StrategySpec swapped(int size) {
        return limiter.spec() instanceof Counter ? new Semaphore(size) : new Counter(size);
    }

    private static QueueSpec line(SplittableRandom random, int size) {
        QueueSpec fair = QueueSpec.of(WINDOW * size);
        return random.nextInt(4) == 0 ? fair.unfair(IntervalFunction.of(Duration.ofMillis(1))) : fair;
    }

    private static final class Carried implements ContextPropagator<String> {
        private final ThreadLocal<@Nullable String> value = new ThreadLocal<>();

        @Override
        public Supplier<Optional<String>> retrieve() {
            return () -> Optional.ofNullable(value.get());
        }

        @Override
        public Consumer<Optional<String>> copy() {
            return carried -> value.set(carried.orElseThrow());
        }

        @Override
        public Consumer<Optional<String>> clear() {
            return carried -> value.remove();
        }
    }
}
