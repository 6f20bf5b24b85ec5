package dev.weir.benchmarks;

import com.netflix.concurrency.limits.executors.BlockingAdaptiveExecutor;
import com.netflix.concurrency.limits.limiter.BlockingLimiter;
import dev.weir.algorithms.Semaphore;
import dev.weir.executor.LimitedExecutor;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A task submitted to a pool of two, whose line has room for all, until it has run. */
public class ExecutorSubmit {
    /*
     * One operation is a task of a batch that is submitted and then awaited together. To await each one before the next
     * would measure how fast this kernel wakes a sleeping thread, twice, beside which no executor differs from another;
     * not to await them would let the submitter run ahead of the workers, and measure how fast a queue grows.
     */
    private static final int THREADS = 2;
    private static final int BATCH = 64;
    private static final int LINE = 4 * BATCH;

    private static ThreadPoolExecutor pool() {
        return new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
    }

    @State(Scope.Benchmark)
    public static class Weir {
        final ExecutorService executor = LimitedExecutor.builder(
                        pool(), AdmissionQueue.before(Mixed.limiter(new Semaphore(THREADS)), QueueSpec.of(LINE)))
                .owningDelegate()
                .build();

        @TearDown
        public void stop() {
            executor.shutdownNow();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long weir(Weir its) throws Exception {
        return Batch.submitted(its.executor::submit);
    }

    @State(Scope.Benchmark)
    public static class Resilience4j {
        final ThreadPoolBulkhead bulkhead = ThreadPoolBulkhead.of(
                "peer",
                ThreadPoolBulkheadConfig.custom()
                        .coreThreadPoolSize(THREADS)
                        .maxThreadPoolSize(THREADS)
                        .queueCapacity(LINE)
                        .build());

        @TearDown
        public void stop() throws Exception {
            bulkhead.close();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long resilience4j(Resilience4j its) throws Exception {
        return Batch.submitted(work -> its.bulkhead.submit(work).toCompletableFuture());
    }

    @State(Scope.Benchmark)
    public static class Netflix {
        final ThreadPoolExecutor pool = pool();
        final BlockingAdaptiveExecutor executor = BlockingAdaptiveExecutor.newBuilder()
                .limiter(BlockingLimiter.wrap(ConcurrencyPeers.netflix(THREADS)))
                .executor(pool)
                .build();

        @TearDown
        public void stop() {
            pool.shutdownNow();
        }
    }

    /** Has no line and no futures: the submitter blocks where the others queue. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long netflix(Netflix its) throws Exception {
        return Batch.submitted(work -> {
            FutureTask<Integer> future = new FutureTask<>(work);
            its.executor.execute(future);
            return future;
        });
    }

    @State(Scope.Benchmark)
    public static class Juc {
        final ThreadPoolExecutor pool = pool();

        @TearDown
        public void stop() {
            pool.shutdownNow();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long floorPool(Juc its) throws Exception {
        return Batch.submitted(its.pool::submit);
    }

    /** The tasks of one go, the same for all. */
    private static final class Batch {
        private Batch() {}

        static long submitted(Submit submit) throws Exception {
            @SuppressWarnings({"unchecked", "rawtypes"})
            Future<Integer>[] futures = new Future[BATCH];
            for (int i = 0; i < BATCH; i++) {
                int n = i;
                futures[i] = submit.submit(() -> n);
            }
            long sum = 0;
            for (Future<Integer> future : futures) {
                sum += future.get();
            }
            Expect.admitted(sum == BATCH * (BATCH - 1) / 2);
            return sum;
        }
    }

    private interface Submit {
        Future<Integer> submit(Callable<Integer> work);
    }
}
