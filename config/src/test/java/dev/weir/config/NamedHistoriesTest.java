package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One handle through seeded documents that change scope, kind, queue, key and removal while four threads use it. */
@Tag("proof")
@Timeout(600)
class NamedHistoriesTest {
    private static final int DOCUMENTS = Stress.of(1_000, 10_000, 100_000);
    private static final int IN_A_ROUND = 50;
    private static final int THREADS = 4;
    private static final int LIMIT = 3;
    private static final String STILL = "limits: { a: { concurrency: " + LIMIT + " } }";

    private final MemorySource source = new MemorySource();
    private final List<ConfigEvent> refused = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    /* Odd while the name is removed. */
    private final AtomicInteger removals = new AtomicInteger();
    private volatile boolean stopped;

    private static String document(SplittableRandom random) {
        String limit = switch (random.nextInt(5)) {
            case 0 -> "scope: cluster, when-away: open, rate: 1M/s";
            case 1 -> "scope: cluster, when-away: open, mode: verdict, rate: 1M/s, key: true, key-missing: share";
            case 2 -> "rate: 1M/s" + waiting(random);
            case 3 -> "rate: 1M/s, key: true, key-missing: " + (random.nextBoolean() ? "share" : "skip");
            default -> "concurrency: " + (1 + random.nextInt(LIMIT)) + waiting(random);
        };
        return "limits: { a: { " + limit + " } }";
    }

    private static String waiting(SplittableRandom random) {
        return random.nextBoolean() ? "" : ", queue: { capacity: 100, max-wait: 20ms }";
    }

    private void load(NamedLimiter limiter, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        while (!stopped) {
            int before = removals.get();
            try {
                asked.incrementAndGet();
                Decision decision = ask(limiter, random);
                boolean isRemoved = (before & 1) == 1 || removals.get() != before;
                if (decision instanceof Permit permit) {
                    permit.release(Outcome.SUCCESS);
                } else if (((Rejection) decision).reason() == Reason.CANCELLED && !isRemoved) {
                    failure.compareAndSet(null, new AssertionError("CANCELLED in " + limiter.status()));
                }
                answered.incrementAndGet();
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        }
    }

    private static Decision ask(NamedLimiter limiter, SplittableRandom random) throws InterruptedException {
        Request request = random.nextInt(4) == 0 ? Request.forKey("k" + random.nextInt(9)) : Request.ONE;
        return switch (random.nextInt(4)) {
            case 0 -> limiter.tryAcquire(request);
            case 1 -> limiter.acquire(request);
            case 2 -> limiter.acquireAsync(request, Duration.ofMillis(20)).join();
            default -> {
                CompletableFuture<Decision> future = limiter.acquireAsync(request);
                if (random.nextBoolean()) {
                    yield future.join();
                }
                future.cancel(true);
                yield future.isCancelled() ? new Rejection("test", Reason.SHED, 0, 0) : future.join();
            }
        };
    }

    @Test
    void oneHandleAnswersThroughAllThatDocumentsSay() throws Exception {
        source.write(STILL);
        try (LimiterRegistry registry = LimiterRegistry.builder()
                .source(source)
                .cluster(new MemoryStore(Ticker.system()))
                .executor(Runnable::run)
                .onEvent(event -> {
                    if (event instanceof ConfigEvent.Refused) {
                        refused.add(event);
                    }
                })
                .build()) {
            NamedLimiter limiter = registry.limiter("a");
            SplittableRandom random = new SplittableRandom(21);
            for (int written = 0; written < DOCUMENTS; written += IN_A_ROUND) {
                round(registry, limiter, random);
                assertNull(failure.get(), () -> "" + failure.get());
                assertSame(limiter, registry.limiter("a"));
                assertEquals(asked.get(), answered.get());
                assertEquals(0, limiter.snapshot().inFlight());
                assertEquals(LIMIT, RegistryFixture.granted(limiter));
            }
            assertEquals(List.of(), refused);
        }
    }

    private void round(LimiterRegistry registry, NamedLimiter limiter, SplittableRandom random) throws Exception {
        stopped = false;
        CyclicBarrier together = new CyclicBarrier(THREADS + 1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long seed = random.nextLong();
            Thread thread = new Thread(() -> {
                try {
                    together.await();
                    load(limiter, seed);
                } catch (Exception e) {
                    failure.compareAndSet(null, e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        together.await();
        for (int i = 0; i < IN_A_ROUND; i++) {
            if (random.nextInt(5) == 0) {
                removals.incrementAndGet();
                source.write("removed: [a]\nlimits: {}");
                source.write(document(random));
                removals.incrementAndGet();
            } else {
                source.write(random.nextInt(5) == 0 ? "limits: {}" : document(random));
            }
        }
        source.write(STILL);
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
