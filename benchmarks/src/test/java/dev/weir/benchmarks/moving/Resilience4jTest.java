package dev.weir.benchmarks.moving;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.NamedLimiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/start/from-resilience4j.md: the same program before and after, and what it says of both. */
class Resilience4jTest {
    private String sell() {
        return "sold";
    }

    @Test
    void theirsSellsUntilItIsFull() {
        // #region theirs
        Bulkhead bulkhead = Bulkhead.of(
                "checkout",
                BulkheadConfig.custom()
                        .maxConcurrentCalls(20)
                        .maxWaitDuration(Duration.ZERO)
                        .build());
        RateLimiter rate = RateLimiter.of(
                "checkout",
                RateLimiterConfig.custom()
                        .limitForPeriod(50)
                        .limitRefreshPeriod(Duration.ofSeconds(1))
                        .timeoutDuration(Duration.ZERO)
                        .build());
        Supplier<String> checkout = Bulkhead.decorateSupplier(bulkhead, RateLimiter.decorateSupplier(rate, this::sell));
        String answer;
        try {
            answer = checkout.get();
        } catch (BulkheadFullException | RequestNotPermitted refused) {
            answer = "busy";
        }
        // #endregion theirs
        assertEquals("sold", answer);
    }

    @Test
    void oursSellsUntilItIsFull(@TempDir Path folder) throws Exception {
        try (LimiterRegistry registry = MovedDocument.of("from-resilience4j", folder)) {
            // #region ours
            NamedLimiter checkout = registry.limiter("checkout");
            String answer = checkout.call(() -> sell(), refused -> "busy: " + refused.reason());
            // #endregion ours
            assertEquals("sold", answer);
            List<Permit> held = new ArrayList<>();
            while (checkout.tryAcquire() instanceof Permit permit) {
                held.add(permit);
            }
            assertEquals(20, held.size());
            assertEquals("busy: CONCURRENCY", checkout.call(() -> sell(), refused -> "busy: " + refused.reason()));
        }
    }

    private static Bulkhead bulkhead(int calls) {
        return Bulkhead.of(
                "theirs", BulkheadConfig.custom().maxConcurrentCalls(calls).build());
    }

    @Test
    void aSecondReleaseRaisesTheirLimitAndNotOurs() {
        Bulkhead theirs = bulkhead(2);
        theirs.acquirePermission();
        theirs.onComplete();
        theirs.onComplete();
        assertEquals(3, theirs.getMetrics().getAvailableConcurrentCalls());
        ManagedLimiter ours = Limiters.of("ours", new Semaphore(2));
        if (ours.tryAcquire() instanceof Permit permit) {
            permit.close();
            permit.close();
        }
        assertEquals(2, granted(ours));
    }

    @Test
    void aLowerLimitBlocksTheirThreadAndNotOurs() throws InterruptedException {
        Bulkhead theirs = bulkhead(5);
        for (int i = 0; i < 5; i++) {
            theirs.acquirePermission();
        }
        Thread changing = new Thread(() -> theirs.changeConfig(
                BulkheadConfig.custom().maxConcurrentCalls(2).build()));
        changing.start();
        await().until(() -> changing.getState() == Thread.State.WAITING);
        for (int i = 0; i < 3; i++) {
            theirs.onComplete();
        }
        changing.join(SECONDS.toMillis(30));
        ManagedLimiter ours = Limiters.of("ours", new Semaphore(5));
        assertEquals(5, granted(ours));
        ours.dial().setLimit(2);
        assertEquals(2, ours.snapshot().limit());
        assertEquals(5, ours.snapshot().inFlight());
    }

    @Test
    void aRateOfTheirsFollowsInItsNextCycleAndOfOursAtOnce() {
        RateLimiter theirs = RateLimiter.of(
                "theirs",
                RateLimiterConfig.custom()
                        .limitForPeriod(1)
                        .limitRefreshPeriod(Duration.ofDays(1))
                        .timeoutDuration(Duration.ZERO)
                        .build());
        theirs.acquirePermission();
        theirs.changeLimitForPeriod(100);
        assertEquals(0, theirs.getMetrics().getAvailablePermissions());
        ManagedLimiter ours = Limiters.of("ours", dev.weir.algorithms.FixedWindow.of(1, Duration.ofDays(1)));
        assertEquals(1, granted(ours));
        ours.dial().setLimit(100);
        assertEquals(99, granted(ours));
    }

    private static int granted(ManagedLimiter limiter) {
        int granted = 0;
        while (!(limiter.tryAcquire() instanceof Rejection)) {
            granted++;
        }
        return granted;
    }
}
