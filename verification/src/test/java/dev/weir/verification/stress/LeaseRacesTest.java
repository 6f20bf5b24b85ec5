package dev.weir.verification.stress;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Lease;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases that are ended by one thread while others grant their permits. At the end the capacity counted from outside is whole. */
@Tag("proof")
class LeaseRacesTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int LIMIT = 2;
    private static final int THREADS = 4;

    private final AtomicLong told = new AtomicLong();
    private final AtomicLong untold = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    @Test
    void S2_S6_leasesAreEndedWhileTheyAreGranted() throws Exception {
        ManagedLimiter limiter = Limiters.of("leases", new Semaphore(LIMIT));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1_000));
        Stress.seconds(0.5, 8, 80).repeat(1, round -> {
            told.set(0);
            untold.set(0);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                SplittableRandom random = new SplittableRandom(round * THREADS + t);
                threads.add(new Thread(() -> work(queue, random)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(null, failed.get());
            await().pollInterval(Duration.ofMillis(2))
                    .until(() -> limiter.snapshot().inFlight() + queue.length() == 0);
            Oracle.assertCapacity(LIMIT, limiter);
        });
        queue.close();
    }

    private void work(AsyncLimiter limiter, SplittableRandom random) {
        try {
            while ((told.get() < 1_000 || untold.get() < 1_000) && failed.get() == null) {
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    leases.add(leased(limiter));
                }
                for (int i = random.nextInt(300); i > 0; i--) {
                    Thread.onSpinWait();
                }
                for (Lease lease : leases) {
                    assertTrue(lease.end(random.nextBoolean() ? Outcome.SUCCESS : Outcome.IGNORED));
                    assertFalse(lease.end(Outcome.SUCCESS));
                }
            }
        } catch (Throwable e) {
            failed.compareAndSet(null, e);
        }
    }

    private Lease leased(AsyncLimiter limiter) {
        Lease lease = Lease.of(limiter.acquireAsync(Request.ONE, EVER));
        AtomicLong isTold = new AtomicLong();
        untold.incrementAndGet();
        lease.whenDecided(
                decision -> {
                    isTold.incrementAndGet();
                    untold.decrementAndGet();
                    told.incrementAndGet();
                    if (!(decision instanceof Permit) || isTold.get() > 1) {
                        failed.compareAndSet(null, new AssertionError(decision + " told " + isTold));
                    }
                },
                failure -> failed.compareAndSet(null, failure));
        return lease;
    }

    @Test
    void S6_brokenTwin_aStageThatIsCancelledLosesThePermit() {
        ManagedLimiter limiter = Limiters.of("stages", new Semaphore(1));
        try (AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(1))) {
            Permit held = (Permit) limiter.tryAcquire();
            CompletableFuture<Decision> asked = queue.acquireAsync(Request.ONE, EVER);
            CompletableFuture<Void> work = asked.thenAccept(decision -> ((Permit) decision).close());
            work.cancel(true);
            held.close();
            asked.join();
            assertEquals(1, limiter.snapshot().inFlight());
        }
    }
}
