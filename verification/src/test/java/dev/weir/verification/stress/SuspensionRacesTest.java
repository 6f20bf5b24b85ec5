package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A suspension holds from the moment at which its call returns, and ends at its time, whatever is changed meanwhile. */
class SuspensionRacesTest {
    private static final int ROUNDS = 20_000;
    private static final int REQUESTS = 20;

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("l", new Semaphore(100_000)).ticker(time).build();
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    private Thread repeating(Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                while (!over.get()) {
                    work.run();
                }
            } catch (Throwable t) {
                failures.add(t);
            }
        });
        thread.start();
        return thread;
    }

    private void ask() {
        if (limiter.tryAcquire() instanceof Permit permit) {
            permit.close();
        }
    }

    private void change() {
        limiter.reconfigure(TokenBucket.of(1L << 40, Duration.ofNanos(1)));
        limiter.observe(new LimiterObserver() {}).close();
        limiter.reconfigure(new Semaphore(100_000));
        limiter.dial().setLimit(99_999);
    }

    @Test
    void W1_noChangeAndNoRequestLosesOrKeepsASuspension() throws InterruptedException {
        List<Thread> threads = Stream.<Runnable>of(this::ask, this::change)
                .map(this::repeating)
                .toList();
        for (int round = 0; round < ROUNDS; round++) {
            assertTrue(limiter.suspendFor(Duration.ofNanos(2 + round % 3), "told"));
            for (int i = 0; i < REQUESTS; i++) {
                Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire());
                assertEquals(Rejection.Reason.SUSPENDED, refused.reason());
            }
            time.advance(2 + round % 3);
            for (int i = 0; i < REQUESTS; i++) {
                assertInstanceOf(Permit.class, limiter.tryAcquire()).close();
            }
        }
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failures);
        assertEquals(0, limiter.inFlight());
    }
}
