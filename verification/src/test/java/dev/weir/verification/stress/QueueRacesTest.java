package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ten thousand waits and more that end by themselves, of each kind and in each queue, while permits are granted to them. At
 * the end nobody waits, and the capacity counted from outside is whole.
 */
@Tag("proof")
class QueueRacesTest {
    private static final long ENDED = 10_000;
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int LIMIT = 2;
    private static final int THREADS = 4;

    private final ManagedLimiter limiter = Limiters.of("races", new Semaphore(LIMIT));
    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong inside = new AtomicLong();
    private final AtomicLong excess = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    private final List<Thread> threads = new ArrayList<>();

    private interface Work {
        void run(SplittableRandom random) throws Exception;
    }

    private AdmissionQueue queue(boolean fair) {
        QueueSpec spec = QueueSpec.of(1_000);
        return AdmissionQueue.before(
                limiter, fair ? spec : spec.unfair(IntervalFunction.ofExponentialBackoff(Duration.ofMillis(1), 2)));
    }

    private void race(boolean fair, Function<AdmissionQueue, Work> works) throws Exception {
        Stress.seconds(0.5, 8, 80).repeat(1, round -> {
            AdmissionQueue queue = queue(fair);
            granted.set(0);
            ended.set(0);
            threads.clear();
            start(works.apply(queue), round * THREADS);
            finish(queue);
        });
    }

    private void start(Work work, int seed) {
        for (int t = 0; t < THREADS; t++) {
            SplittableRandom random = new SplittableRandom(seed + t);
            threads.add(new Thread(() -> {
                try {
                    while ((ended.get() < ENDED || granted.get() < ENDED / 100) && failed.get() == null) {
                        work.run(random);
                    }
                } catch (Throwable e) {
                    failed.compareAndSet(null, e);
                }
            }));
        }
        threads.forEach(Thread::start);
    }

    private void finish(AdmissionQueue queue) throws Exception {
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(null, failed.get());
        await().until(() -> queue.snapshot().length() == 0 && limiter.snapshot().inFlight() == 0);
        assertEquals(0, excess.get(), "more inside than the limit");
        assertEquals(0, queue.snapshot().failures());
        queue.close();
        Oracle.assertCapacity(LIMIT, limiter);
    }

    private void use(Decision decision, SplittableRandom random) {
        if (decision instanceof Permit permit) {
            granted.incrementAndGet();
            excess.addAndGet(inside.incrementAndGet() > LIMIT ? 1 : 0);
            for (int i = random.nextInt(500); i > 0; i--) {
                Thread.onSpinWait();
            }
            inside.decrementAndGet();
            permit.close();
        } else {
            ended.incrementAndGet();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void S2_S4_timeOutsOfBlockedThreadsRaceGrants(boolean fair) throws Exception {
        race(
                fair,
                queue -> random -> use(queue.acquire(Request.ONE, Duration.ofNanos(random.nextInt(30_000))), random));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void S2_S4_timeOutsOfFuturesRaceGrants(boolean fair) throws Exception {
        race(fair, queue -> random -> {
            List<CompletableFuture<Decision>> answers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                answers.add(queue.acquireAsync(Request.ONE, Duration.ofNanos(random.nextInt(30_000))));
            }
            for (CompletableFuture<Decision> answer : answers) {
                answer.thenAccept(decision -> use(decision, random)).join();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void S2_S5_interruptsRaceGrants(boolean fair) throws Exception {
        race(fair, queue -> random -> {
            threads.get(random.nextInt(THREADS)).interrupt();
            try {
                use(queue.acquire(Request.ONE, EVER), random);
            } catch (InterruptedException e) {
                ended.incrementAndGet();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void S2_S6_cancelsRaceGrants(boolean fair) throws Exception {
        race(fair, queue -> random -> {
            CompletableFuture<Decision> answer = queue.acquireAsync(Request.of(1 + random.nextInt(2)), EVER);
            for (int i = random.nextInt(300); i > 0; i--) {
                Thread.onSpinWait();
            }
            boolean taken = random.nextBoolean()
                    ? answer.cancel(true)
                    : answer.completeExceptionally(new IllegalStateException("made up"));
            if (taken) {
                ended.incrementAndGet();
            } else {
                granted.incrementAndGet();
                ((Permit) answer.join()).close();
            }
        });
    }
}
