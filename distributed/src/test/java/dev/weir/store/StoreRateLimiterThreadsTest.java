package dev.weir.store;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real threads, a store with threads of its own, cancellations and interrupts: every permit is accounted for. */
@Tag("proof")
class StoreRateLimiterThreadsTest {
    private static final int REQUESTS = 20_000;
    private static final int THREADS = 4;
    private static final int KEYS = 3;

    private final ModelStore store = new ModelStore(Ticker.system(), 200_000, 1_000_000_000, 20_000);
    private final AtomicInteger commands = new AtomicInteger();
    private final AtomicLong admitted = new AtomicLong();

    /** Each 50th command fails after it was counted. */
    private final class Threads implements ModelStore.Network {
        private final ExecutorService executor;

        private Threads(ExecutorService executor) {
            this.executor = executor;
        }

        @Override
        public <T> CompletionStage<T> carry(Supplier<T> command) {
            boolean fails = commands.incrementAndGet() % 50 == 0;
            return CompletableFuture.supplyAsync(
                    () -> {
                        T answer = command.get();
                        if (fails) {
                            throw new IllegalStateException("the connection was lost");
                        }
                        return answer;
                    },
                    executor);
        }
    }

    private StoreRateLimiter limiter(Mode mode, ExecutorService storeThreads) {
        ModelStore.Network network = new Threads(storeThreads);
        return StoreRateLimiter.builder(
                        "api",
                        TokenBucket.of(200_000, Duration.ofSeconds(1)),
                        spec -> store.over(network),
                        WhenAway.closed())
                .mode(mode)
                .timeout(Duration.ofSeconds(5))
                .build();
    }

    private static Mode mode(String name) {
        return switch (name) {
            case "exact" -> Mode.exact();
            case "verdict" -> Mode.verdict();
            default -> Mode.batched(64);
        };
    }

    private Void requests(StoreRateLimiter limiter, int thread) throws Exception {
        SplittableRandom random = new SplittableRandom(thread);
        Deque<CompletableFuture<Decision>> open = new ArrayDeque<>();
        for (int i = 0; i < REQUESTS / THREADS; i++) {
            Request request = Request.forKey(random.nextInt(KEYS)).refundable();
            int way = random.nextInt(20);
            if (way == 0) {
                count(limiter.acquire(request, Duration.ofMillis(1)), random);
            } else if (way == 1) {
                interrupted(limiter, request, random);
            } else {
                open.add(limiter.acquireAsync(request, Duration.ofMillis(random.nextInt(3))));
            }
            if (way == 2 && !open.isEmpty() && open.peekLast().cancel(true)) {
                boolean unused = open.remove(open.peekLast());
            }
            while (open.size() > 50) {
                count(open.remove().get(2, TimeUnit.MINUTES), random);
            }
        }
        for (CompletableFuture<Decision> future : open) {
            if (!future.isCancelled()) {
                count(future.get(2, TimeUnit.MINUTES), random);
            }
        }
        return null;
    }

    private void interrupted(StoreRateLimiter limiter, Request request, SplittableRandom random) {
        Thread.currentThread().interrupt();
        try {
            count(limiter.acquire(request, Duration.ZERO), random);
        } catch (InterruptedException nothingHeld) {
            assertTrue(!Thread.currentThread().isInterrupted());
        }
    }

    private void count(Decision decision, SplittableRandom random) {
        if (decision instanceof Permit permit) {
            boolean isCancelled = random.nextInt(50) == 0;
            assertTrue(permit.release(isCancelled ? Outcome.CANCELLED : Outcome.SUCCESS));
            assertTrue(!permit.release(Outcome.CANCELLED));
            admitted.addAndGet(isCancelled ? 0 : 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "verdict", "batched"})
    void S2_everyPermitIsAccountedFor(String mode) throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> new StoreRateLimiterThreadsTest().requests(mode, round));
    }

    private void requests(String mode, int round) throws Exception {
        store.refundsAll = true;
        ExecutorService storeThreads = Executors.newFixedThreadPool(2);
        ExecutorService callers = Executors.newFixedThreadPool(THREADS);
        try {
            StoreRateLimiter limiter = limiter(mode(mode), storeThreads);
            var all = callers.invokeAll(IntStream.range(0, THREADS)
                    .<Callable<Void>>mapToObj(thread -> () -> requests(limiter, round * THREADS + thread))
                    .toList());
            for (Future<Void> one : all) {
                one.get();
            }
            limiter.close();
            await().untilAsserted(() -> {
                assertEquals(0, limiter.status().inFlight());
                long surplus = store.counted() - admitted.get();
                long doubt = limiter.status().inDoubtPermits();
                assertTrue(Math.abs(surplus) <= doubt, () -> "surplus " + surplus + ", in doubt " + doubt);
            });
            assertTrue(admitted.get() > REQUESTS / 20, () -> "admitted " + admitted);
        } finally {
            callers.shutdownNow();
            storeThreads.shutdownNow();
        }
    }
}
