package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.executor.ExecutorLedger;
import dev.weir.executor.LimitedExecutor;
import dev.weir.named.NamedLimiter;
import dev.weir.named.backend.Backend;
import dev.weir.named.backend.FollowingQueue;
import dev.weir.named.backend.NamedEntry;
import dev.weir.queue.CallbackQueue;
import dev.weir.spi.Registration;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks of executors that wait while documents move their name to a store, to other queues and back. */
@Tag("proof")
class FollowingQueueStressTest {
    private static final int DOCUMENTS = 500;
    private static final int LIMIT = 3;
    private static final int OPEN = 8;
    private static final String QUEUE = ", queue: { capacity: 1000, max-wait: 1h } } }";

    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private final ExecutorService other = Executors.newFixedThreadPool(4);
    private volatile boolean stopped;

    @AfterEach
    void shutDown() {
        pool.shutdownNow();
        other.shutdownNow();
    }

    private static String document(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> "limits: { a: { scope: store, when-away: open, rate: 1000M/s } }";
            case 2 -> "limits: { a: { rate: 1000M/s" + QUEUE;
            case 3 ->
                "limits: { a: { concurrency: 2, key: user, key-missing: " + (random.nextBoolean() ? "share" : "skip")
                        + QUEUE;
            case 4 -> "limits: {}";
            default -> "limits: { a: { concurrency: " + (1 + random.nextInt(LIMIT)) + QUEUE;
        };
    }

    /** Submits tasks, cancels some, and has only some open at a time. */
    private void submit(LimitedExecutor executor, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Future<?>> open = new ArrayList<>();
        while (!stopped) {
            if (open.size() < OPEN) {
                open.addAll(submitted(executor));
            } else {
                open.get(random.nextInt(OPEN)).cancel(random.nextBoolean());
                await().pollInterval(Duration.ofMillis(1)).until(() -> open.removeIf(Future::isDone));
            }
        }
    }

    private static List<Future<?>> submitted(LimitedExecutor executor) {
        try {
            return List.of(executor.submit(() -> Thread.yield()));
        } catch (RejectedExecutionException counted) {
            return List.of();
        }
    }

    /** Returns the tasks of two executors, one of which has a worker wait for each task, after as many changes. */
    private List<ExecutorLedger> through(Function<NamedEntry, CallbackQueue> queues, int seed) throws Exception {
        MemorySource source = new MemorySource();
        stopped = false;
        source.write("limits: { a: { concurrency: " + LIMIT + QUEUE);
        try (LimiterRegistry registry = LimiterRegistry.builder()
                .source(source)
                .store(new MemoryStore(Ticker.system()))
                .executor(Runnable::run)
                .onEvent(event -> {})
                .build()) {
            NamedLimiter limiter = registry.limiter("a");
            CallbackQueue queue = queues.apply(registry.names().table().entry("a"));
            List<LimitedExecutor> executors = new ArrayList<>();
            List<Thread> submitters = new ArrayList<>();
            // Threads of their own: a task that was granted would else wait for a thread in which another waits for a
            // permit.
            for (Executor delegate : List.of(pool, (Executor) other::execute)) {
                LimitedExecutor executor = LimitedExecutor.builder(delegate, queue, () -> Duration.ofHours(1))
                        .maxWaitOfQueue()
                        .build();
                executors.add(executor);
                long number = executors.size();
                Thread submitter = new Thread(() -> submit(executor, number));
                submitters.add(submitter);
                submitter.start();
            }
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < DOCUMENTS || !executors.stream().allMatch(each -> isUsed(each.ledger())); i++) {
                source.write(document(random));
            }
            source.write("limits: { a: { concurrency: " + LIMIT + QUEUE);
            stopped = true;
            for (Thread submitter : submitters) {
                submitter.join();
            }
            await().pollInterval(Duration.ofMillis(1))
                    .until(() ->
                            executors.stream().allMatch(each -> each.ledger().open() == 0));
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> limiter.snapshot().inFlight() == 0);
            assertEquals(LIMIT, RegistryFixture.granted(limiter));
            assertEquals(LIMIT, RegistryFixture.granted(limiter));
            return executors.stream().map(LimitedExecutor::ledger).toList();
        }
    }

    /** However long the documents take: enough tasks have run and been cancelled, or it is known to be broken. */
    private static boolean isUsed(ExecutorLedger tasks) {
        return tasks.rejected() > 0 || tasks.succeeded() > DOCUMENTS / 10 && tasks.cancelled() > 0;
    }

    @Test
    void eachTaskRunsOnceOrIsCancelledWhateverAnswersItsName() throws Exception {
        Stress.seconds(1, 10, 60).repeat(1, round -> {
            for (ExecutorLedger tasks : through(FollowingQueue::new, 21 + round)) {
                assertEquals(0, tasks.rejected(), tasks::toString);
                assertEquals(0, tasks.failed(), tasks::toString);
            }
        });
    }

    @Test
    void aQueueThatDoesNotAskAgainIsFound() throws Exception {
        List<ExecutorLedger> tasks = through(StayingQueue::new, 21);
        assertTrue(tasks.stream().anyMatch(each -> each.rejected() > 0), tasks::toString);
    }

    /** A broken twin: who waits when the name is answered elsewhere is not asked for there. */
    private record StayingQueue(FollowingQueue queue, NamedEntry entry) implements CallbackQueue {
        StayingQueue(NamedEntry entry) {
            this(new FollowingQueue(entry), entry);
        }

        @Override
        public Place place(Request request, Consumer<Decision> callback) {
            return entry.inForce().backend() instanceof Backend.Local local && local.queue() != null
                    ? local.queue().callbacks().place(request, callback)
                    : queue.place(request, callback);
        }

        @Override
        public String name() {
            return queue.name();
        }

        @Override
        public @Nullable Object requestData() {
            return queue.requestData();
        }

        @Override
        public @Nullable Decision tryAcquire(Request request, long timeoutNanos, @Nullable Object requestData) {
            return queue.tryAcquire(request, timeoutNanos, requestData);
        }

        @Override
        public void countRejection(Request request, Rejection rejection, @Nullable Place place) {
            queue.countRejection(request, rejection, null);
        }

        @Override
        public @Nullable Consumer<Decision> oldest(Predicate<Consumer<Decision>> test) {
            return queue.oldest(test);
        }

        @Override
        public boolean isFullWith(int more) {
            return queue.isFullWith(more);
        }

        @Override
        public Registration whenCapacity(Runnable listener) {
            return queue.whenCapacity(listener);
        }

        @Override
        public <T> T shared(Class<T> type, Supplier<T> creation) {
            return queue.shared(type, creation);
        }
    }
}
