package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Registration;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Eight threads acquire and release through a limiter, or the queue before it, while a control judges every slice at
 * random and others change its bounds, put overrides over it, close it and build another. At the end the capacity counted
 * from outside is exactly the limit in force, and that is within the last bounds.
 */
@Tag("proof")
class AdaptiveRacesTest {
    private static final int PAIRS = 500_000;
    private static final int THREADS = 8;
    private static final int MAX = 64;

    private final ManagedLimiter limiter = Limiters.of("races", new Semaphore(16));
    private final AtomicLong pairs = new AtomicLong();
    private final AtomicLong inside = new AtomicLong();
    private final AtomicLong excess = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile BooleanSupplier enough = () -> true;

    /** Answers at random; notices if two threads ask it at once. */
    private static final class Whim implements Controller {
        private final AtomicInteger asking = new AtomicInteger();
        private final AtomicLong twice = new AtomicLong();

        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            twice.addAndGet(asking.getAndIncrement() == 0 ? 0 : 1);
            try {
                return ThreadLocalRandom.current().nextLong(-5, 2 * MAX);
            } finally {
                asking.getAndDecrement();
            }
        }

        @Override
        public String why() {
            return "whim: at random";
        }
    }

    private void start(int count, Runnable work) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                try {
                    while ((pairs.get() < PAIRS || !enough.getAsBoolean()) && failed.get() == null) {
                        work.run();
                    }
                } catch (Throwable t) {
                    failed.compareAndSet(null, t);
                }
            });
            threads.add(thread);
            thread.start();
        }
    }

    private void use(Decision decision) {
        if (decision instanceof Permit permit) {
            excess.addAndGet(inside.incrementAndGet() > MAX ? 1 : 0);
            inside.decrementAndGet();
            permit.release(Outcome.SUCCESS);
        }
        pairs.incrementAndGet();
    }

    private void finish() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failed.get());
        assertEquals(0, excess.get(), "more inside than the bounds allow");
        await().until(() -> limiter.inFlight() == 0);
    }

    private void assertWhole(AdaptiveControl control) {
        control.bounds(Bounds.of(5, 9));
        await().until(() -> limiter.dial().limit() >= 5 && limiter.dial().limit() <= 9);
        assertEquals(0, control.snapshot().failures());
        control.close();
        Oracle.assertCapacity(limiter.dial().limit(), limiter);
    }

    @Test
    void A1_A11_boundsChangeUnderTrafficAndJudgement() throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> new AdaptiveRacesTest().boundsChange(round));
    }

    private void boundsChange(int seed) throws Exception {
        Whim whim = new Whim();
        AdaptiveControl control =
                AdaptiveControl.builder(limiter, whim).bounds(Bounds.of(1, MAX)).build();
        enough = () -> control.snapshot().updates() > 10;
        start(THREADS, () -> use(limiter.tryAcquire()));
        SplittableRandom random = new SplittableRandom(seed);
        start(1, () -> {
            long min = random.nextLong(1, MAX);
            control.bounds(new Bounds(min, random.nextLong(min, MAX + 1), 1.5));
            control.learned();
            control.tick();
        });
        start(1, () -> {
            Registration term = control.override(Bounds.of(3, 3), Duration.ofNanos(50_000), "hot");
            control.snapshot();
            term.close();
        });
        finish();
        assertEquals(0, whim.twice.get(), "one thread at a time");
        assertWhole(control);
    }

    @Test
    void A11_controlsComeAndGo() throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> new AdaptiveRacesTest().controlsComeAndGo());
    }

    private void controlsComeAndGo() throws Exception {
        AtomicLong built = new AtomicLong();
        enough = () -> built.get() > 100;
        start(THREADS, () -> use(limiter.tryAcquire()));
        start(1, () -> {
            try (AdaptiveControl control = AdaptiveControl.builder(limiter, new Whim())
                    .bounds(Bounds.of(1, MAX))
                    .build()) {
                control.tick();
                built.incrementAndGet();
            }
        });
        finish();
        assertWhole(AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, MAX)));
    }

    @Test
    void A11_S3_behindAQueueNobodyIsForgotten() throws Exception {
        Stress.seconds(1, 20, 200).repeat(1, round -> new AdaptiveRacesTest().behindAQueue(round));
    }

    private void behindAQueue(int seed) throws Exception {
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1000));
        AsyncLimiter line = queue;
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Crest())
                .bounds(Bounds.of(1, MAX))
                .waiting(() -> queue.snapshot().length())
                .build();
        start(
                THREADS,
                () -> line.acquireAsync(Request.ONE, Duration.ofSeconds(10))
                        .thenAccept(this::use)
                        .join());
        SplittableRandom random = new SplittableRandom(seed);
        start(1, () -> control.bounds(Bounds.of(1, random.nextLong(1, MAX + 1))));
        finish();
        await().until(() -> queue.snapshot().length() == 0);
        assertWhole(control);
    }
}
