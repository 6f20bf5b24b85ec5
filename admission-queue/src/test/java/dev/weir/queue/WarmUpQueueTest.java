package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.RampCurve;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who waits before a limit that warms up is granted when the ramp lets it in, without a release. */
class WarmUpQueueTest {
    private static final Duration TEN = Duration.ofSeconds(10);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final long STEP = TEN.toNanos() / 256;

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);

    private AdmissionQueue queue(StrategySpec target) {
        StrategySpec cold = new WarmUp(target, TEN, 10, RampCurve.LINEAR, null);
        ManagedLimiter limiter = Limiters.builder("cold", cold).ticker(time).build();
        return AdmissionQueue.builder("cold", limiter, QueueSpec.of(100))
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
    }

    private static Permit permit(Decision decision) {
        return assertInstanceOf(Permit.class, decision);
    }

    @Test
    void S3_aWaiterIsGrantedBesideAFreeSlotOfItsKey() {
        AdmissionQueue queue = queue(Keyed.of(new Semaphore(10), 100));
        List<Permit> out = new ArrayList<>();
        for (int key = 0; key < 20; key++) {
            out.add(permit(queue.tryAcquire(Request.forKey(key))));
        }
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.forKey(0), EVER);
        time.advance(STEP - 1);
        assertFalse(waiting.isDone());
        time.advance(1);
        assertTrue(waiting.isDone(), "2 of 10 for each key at step 1, and 1 is out; 20 are out over all keys");
        out.add(permit(waiting.join()));
        out.forEach(Permit::close);
    }

    @Test
    void S3_aReleaseHelpsBeforeTheNextStep() {
        AdmissionQueue queue = queue(new Semaphore(10));
        Permit held = permit(queue.tryAcquire(Request.ONE));
        CompletableFuture<Decision> waiting = queue.acquireAsync(Request.ONE, EVER);
        assertFalse(waiting.isDone());
        held.close();
        assertTrue(waiting.isDone());
    }

    @Test
    void S3_aBatchIsGrantedAtItsStepAndNotRefusedForGood() {
        AdmissionQueue queue = queue(new Semaphore(10));
        CompletableFuture<Decision> all = queue.acquireAsync(Request.of(10), EVER);
        CompletableFuture<Decision> behind = queue.acquireAsync(Request.ONE, EVER);
        time.advance(TEN);
        permit(all.join()).close();
        permit(behind.join()).close();
    }

    @Test
    void R2_aRateBehindAQueueFollowsTheRamp() {
        AdmissionQueue queue = queue(TokenBucket.of(100, Duration.ofSeconds(1)).withCapacity(1));
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(queue.acquireAsync(Request.ONE, EVER));
        }
        time.advance(Duration.ofSeconds(1));
        long granted = waiting.stream().filter(CompletableFuture::isDone).count();
        // 1, and 10 a second that rise to 19 a second: 14.5, rounded up at each step.
        assertEquals(15.5, granted, 1.0);
        time.advance(TEN);
        assertTrue(waiting.stream().allMatch(CompletableFuture::isDone));
    }
}
