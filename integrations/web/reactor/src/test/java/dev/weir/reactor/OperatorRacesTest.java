package dev.weir.reactor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.NamedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Subscriptions to a limited publisher that are cancelled by one thread while others grant their permits. */
@Tag("proof")
class OperatorRacesTest {
    private static final int LIMIT = 2;
    private static final int THREADS = 4;
    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicLong worked = new AtomicLong();
    private final AtomicLong cancelled = new AtomicLong();

    @Test
    void S2_S6_cancelsRaceGrantsOfAName() throws Exception {
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (LimiterRegistry registry = LimiterRegistry.builder().build()) {
            NamedLimiter limiter = registry.limiter("races", new Semaphore(LIMIT));
            registry.override(
                    "races",
                    "{ concurrency: 2, queue: { capacity: 1000, max-wait: 1h } }",
                    HOUR,
                    "test",
                    "requests wait");
            WeirOperator<Integer> operator = WeirOperator.of(limiter);
            Stress.seconds(0.5, 8, 80).repeat(1, round -> {
                worked.set(0);
                cancelled.set(0);
                CompletableFuture.allOf(IntStream.range(0, THREADS)
                                .mapToObj(t -> new SplittableRandom(round * THREADS + t))
                                .map(random -> CompletableFuture.runAsync(() -> work(operator, random), threads))
                                .toArray(CompletableFuture[]::new))
                        .join();
                await().pollInterval(Duration.ofMillis(2))
                        .until(() -> limiter.snapshot().inFlight() == 0
                                && limiter.status().queue().length() == 0);
                Oracle.assertCapacity(LIMIT, limiter);
            });
        } finally {
            threads.shutdown();
            Hooks.resetOnErrorDropped();
        }
        assertEquals(List.of(), dropped);
    }

    private void work(WeirOperator<Integer> operator, SplittableRandom random) {
        while (worked.get() < 3_000 || cancelled.get() < 3_000) {
            Mono<Integer> mono = Mono.just(1).transformDeferred(operator);
            Flux<Integer> flux = Flux.range(0, 3).transformDeferred(operator);
            Disposable first = subscribed(mono.flux());
            Disposable second = subscribed(flux);
            Disposable third = subscribed(random.nextBoolean() ? mono.concatWith(Mono.never()) : mono.flux());
            for (int i = random.nextInt(300); i > 0; i--) {
                Thread.onSpinWait();
            }
            first.dispose();
            second.dispose();
            third.dispose();
        }
    }

    private Disposable subscribed(Flux<Integer> limited) {
        return limited.doOnCancel(cancelled::incrementAndGet)
                .doOnComplete(worked::incrementAndGet)
                .subscribe();
    }

    /* The future has its permit, and its actions run one after the other: what the Mono waits for is after the cancel. */
    @Test
    void S6_brokenTwin_aMonoOfTheFutureLosesThePermit() {
        ManagedLimiter limiter = Limiters.of("naive", new Semaphore(1));
        try (AdmissionQueue queue = AdmissionQueue.builder("naive", limiter, QueueSpec.of(1))
                .executor(Runnable::run)
                .build()) {
            Permit held = (Permit) limiter.tryAcquire();
            CompletableFuture<Decision> asked = queue.acquireAsync(Request.ONE, HOUR);
            Disposable naive = Mono.fromFuture(asked)
                    .flatMap(decision -> Mono.fromRunnable(() -> ((Permit) decision).close()))
                    .subscribe();
            CompletableFuture<Void> cancel = asked.thenRun(naive::dispose);
            held.close();
            assertEquals(true, cancel.isDone());
            assertEquals(1, limiter.snapshot().inFlight());
        }
    }
}
