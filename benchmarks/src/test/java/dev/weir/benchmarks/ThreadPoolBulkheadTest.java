package dev.weir.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.executor.LimitedExecutor;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The row of the thread-pool bulkhead on the page of documents, beside the bulkhead of Resilience4j that it replaces. */
class ThreadPoolBulkheadTest {
    private static final int SUBMITTED = 80;

    /** 16 threads and a queue of 50. */
    private static final int TAKEN = 66;

    private final CountDownLatch open = new CountDownLatch(1);
    private final AtomicInteger ran = new AtomicInteger();

    private int work() {
        try {
            open.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return ran.incrementAndGet();
    }

    /** Counts the tasks that are taken while none ends; all of these run. */
    private int taken(Supplier<CompletionStage<Integer>> submission) {
        List<CompletableFuture<Integer>> taken = new ArrayList<>();
        int refused = 0;
        while (taken.size() + refused < SUBMITTED) {
            try {
                taken.add(submission.get().toCompletableFuture());
            } catch (BulkheadFullException | RejectedExecutionException full) {
                refused++;
            }
        }
        open.countDown();
        taken.forEach(CompletableFuture::join);
        assertEquals(taken.size(), ran.get());
        return taken.size();
    }

    @Test
    void theirsTakesAsManyTasksAsItsThreadsAndItsQueueHold() throws Exception {
        ThreadPoolBulkheadConfig config = ThreadPoolBulkheadConfig.custom()
                .coreThreadPoolSize(4)
                .maxThreadPoolSize(16)
                .queueCapacity(50)
                .keepAliveDuration(Duration.ofMillis(20))
                .build();
        ThreadPoolBulkhead bulkhead = ThreadPoolBulkhead.of("theirs", config);
        try {
            assertEquals(TAKEN, taken(() -> bulkhead.executeSupplier(this::work)));
        } finally {
            bulkhead.close();
        }
    }

    @Test
    void theRowOfThePageTakesAsMany(@TempDir Path folder) throws Exception {
        Matcher row = Pattern.compile("(?m)^ +r4j-thread-pool: (.*)$")
                .matcher(Files.readString(Path.of("../docs/start/from-resilience4j.md")));
        assertTrue(row.find());
        Path file = Files.writeString(folder.resolve("limits.yaml"), "limits:\n  ours: " + row.group(1) + "\n");
        try (LimiterRegistry registry = LimiterRegistry.of(FileSource.of(file))) {
            LimitedExecutor executor = registry.names().executor("ours");
            assertEquals(TAKEN, taken(() -> CompletableFuture.supplyAsync(this::work, executor)));
        }
    }
}
