package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeasedBucketTest extends StrategyContract {
    private static final long CAPACITY = 512;

    @Override
    protected StrategySpec spec(long limit) {
        return TokenBucket.of(limit, Duration.ofSeconds(1))
                .withCapacity(CAPACITY)
                .leased();
    }

    @Override
    protected long mostWithin(long windowNanos, long limit) {
        return CAPACITY + windowNanos * limit / 1_000_000_000L;
    }

    @Override
    protected long period() {
        return 1_000_000_000L;
    }

    /** One thread: the stripes it does not use hold nothing, so all but their part of the capacity is there. */
    @Test
    void aBurstFallsShortByNoMoreThanTheStripesCanHold() {
        ManagedLimiter limiter = limiter(new VirtualTime());
        long granted = take(limiter, CAPACITY + 1);
        assertTrue(granted <= CAPACITY && granted >= CAPACITY / 2, () -> granted + " granted");
    }

    @Test
    void R8_whatIsLeftInTheStripesOfOthersIsGatheredBeforeARefusal() throws Exception {
        ManagedLimiter alone = limiter(new VirtualTime());
        long all = take(alone, CAPACITY + 1);
        ManagedLimiter limiter = limiter(new VirtualTime());
        AtomicLong granted = new AtomicLong();
        for (int i = 0; i < 20; i++) {
            Thread thread = new Thread(() -> granted.addAndGet(take(limiter, 1)));
            thread.start();
            thread.join();
        }
        assertEquals(all, granted.get() + take(limiter, CAPACITY + 1));
    }

    @Test
    void W5_leavingAndEnteringTheLeasedModeMintsNothing() {
        ManagedLimiter limiter = limiter(new VirtualTime());
        long granted = 0;
        for (int i = 0; i < 100; i++) {
            granted += take(limiter, CAPACITY + 1);
            limiter.reconfigure(TokenBucket.of(50, Duration.ofSeconds(1)).withCapacity(CAPACITY));
            granted += take(limiter, CAPACITY + 1);
            limiter.reconfigure(spec(50));
        }
        long most = granted;
        assertTrue(most <= CAPACITY, () -> most + " granted at one instant");
    }

    @Test
    void R5_theLargestRequestIsWhatTheStripesLeave() {
        LeasedBucket spec =
                TokenBucket.of(50, Duration.ofSeconds(1)).withCapacity(CAPACITY).leased();
        ManagedLimiter limiter =
                Limiters.builder("leased", spec).ticker(new VirtualTime()).build();
        Rejection rejection = assertInstanceOf(Rejection.class, limiter.tryAcquire(CAPACITY));
        assertEquals(Rejection.Reason.NEVER, rejection.reason());
        assertInstanceOf(Permit.class, limiter.tryAcquire(CAPACITY / 2));
    }

    @Test
    void refusesABatchThatWouldTakeMoreThanHalf() {
        TokenBucket small = TokenBucket.of(10, Duration.ofSeconds(1));
        assertThrows(IllegalArgumentException.class, () -> new LeasedBucket(small, 1));
        assertThrows(IllegalArgumentException.class, () -> new LeasedBucket(small.withCapacity(CAPACITY), 0));
        assertThrows(IllegalArgumentException.class, () -> new LeasedBucket(small.withCapacity(CAPACITY), CAPACITY));
    }

    private ManagedLimiter limiter(VirtualTime time) {
        return Limiters.builder("leased", spec(50)).ticker(time).build();
    }

    private static long take(ManagedLimiter limiter, long atMost) {
        long taken = 0;
        while (taken < atMost && limiter.tryAcquire() instanceof Permit) {
            taken++;
        }
        return taken;
    }
}
