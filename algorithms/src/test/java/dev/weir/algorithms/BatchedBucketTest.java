package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BatchedBucketTest extends StrategyContract {
    private static final long CAPACITY = 512;
    private static final long BATCH = 3;

    @Override
    protected StrategySpec spec(long limit) {
        return TokenBucket.of(limit, Duration.ofSeconds(1))
                .withCapacity(CAPACITY)
                .batched(BATCH);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return CAPACITY + windowNanos * limit / 1_000_000_000L;
    }

    @Override
    protected long period() {
        return 1_000_000_000L;
    }

    /* The stripe of the only thread may be filled for requests that are cancelled then, and the bucket refills meanwhile. */
    @Override
    protected long gainByCancelling(int instants) {
        return BATCH;
    }

    /** One thread: the stripes it does not use are empty, so the capacity is available except for their part. */
    @Test
    void aBurstIsSmallerByAtMostWhatTheStripesHold() {
        ManagedLimiter limiter = limiter(new VirtualTime());
        long granted = take(limiter, CAPACITY + 1);
        assertTrue(granted <= CAPACITY && granted >= CAPACITY / 2, () -> granted + " granted");
    }

    /** The bucket is full again: what the stripe granted fits only there. */
    @Test
    void R6_whatAStripeGrantedGoesBackIntoIt() {
        VirtualTime time = new VirtualTime();
        Strategy strategy = TokenBucket.of(10, Duration.ofSeconds(1))
                .withCapacity(CAPACITY)
                .batched()
                .create(time);
        assertEquals(Strategy.GRANTED, strategy.acquire(Request.ONE));
        time.advance(Duration.ofHours(1));
        long full = Traffic.remaining(strategy);
        long grantedAt = time.read();
        assertEquals(Strategy.GRANTED, strategy.acquire(Request.of(3)));
        assertEquals(full - 3, Traffic.remaining(strategy));
        strategy.refund(Request.of(3), grantedAt);
        assertEquals(full, Traffic.remaining(strategy));
    }

    @Test
    void R8_otherStripesAreGatheredBeforeARejection() throws Exception {
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

    /**
     * All stripes are full and the bucket is empty. A thread takes everything from the stripes and, before it asks the
     * bucket for the rest, is delayed for two seconds, in which other threads refill everything twice.
     */
    @Test
    void R1_aDelayedThreadWithGatheredPermitsDoesNotRaiseTheBound() throws Exception {
        VirtualTime time = new VirtualTime();
        AtomicInteger reads = new AtomicInteger();
        Thread sleeper = Thread.currentThread();
        Strategy[] strategy = new Strategy[1];
        Ticker ticker = () -> {
            if (Thread.currentThread() == sleeper && reads.decrementAndGet() == 0) {
                fillStripes(strategy[0], time);
            }
            return time.read();
        };
        strategy[0] = batched(CAPACITY).create(ticker);
        fillStripes(strategy[0], time);
        Request half = Request.of(CAPACITY / 2);
        assertEquals(Strategy.GRANTED, strategy[0].acquire(half));
        reads.set(2); // refused by the bucket; then asked for the rest
        long granted = strategy[0].acquire(half) == Strategy.GRANTED ? CAPACITY / 2 : 0;
        assertTrue(reads.get() <= 0, "slept");
        while (strategy[0].acquire(Request.ONE) == Strategy.GRANTED) {
            granted++;
        }
        long max = granted;
        assertTrue(max <= CAPACITY, () -> max + " granted at one instant");
    }

    private static void fillStripes(Strategy strategy, VirtualTime time) {
        for (int second = 0; second < 2; second++) {
            for (int i = 0; i < 64; i++) {
                Thread thread = new Thread(() -> strategy.acquire(Request.ONE));
                thread.start();
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            time.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void R1_everyStripeOpensAgainAfterAClockThatThrows() throws Exception {
        VirtualTime time = new VirtualTime();
        AtomicInteger readsUntilThrown = new AtomicInteger(Integer.MAX_VALUE);
        Strategy strategy = batched(CAPACITY).create(() -> {
            if (readsUntilThrown.decrementAndGet() == 0) {
                throw new IllegalStateException("no clock");
            }
            return time.read();
        });
        fillStripes(strategy, time);
        Request half = Request.of(CAPACITY / 2);
        assertEquals(Strategy.GRANTED, strategy.acquire(half));
        long there = Traffic.remaining(strategy);
        readsUntilThrown.set(2);
        assertThrows(IllegalStateException.class, () -> strategy.acquire(half));
        assertEquals(there, Traffic.remaining(strategy));
        for (long left = there; left > 0; left--) {
            assertEquals(Strategy.GRANTED, strategy.acquire(Request.ONE));
        }
    }

    @Test
    void W5_leavingAndEnteringTheBatchedModeAddsNothing() {
        ManagedLimiter limiter = limiter(new VirtualTime());
        long granted = 0;
        for (int i = 0; i < 100; i++) {
            granted += take(limiter, CAPACITY + 1);
            limiter.reconfigure(TokenBucket.of(50, Duration.ofSeconds(1)).withCapacity(CAPACITY));
            granted += take(limiter, CAPACITY + 1);
            limiter.reconfigure(batched(50));
        }
        long max = granted;
        assertTrue(max <= CAPACITY, () -> max + " granted at one instant");
    }

    @Test
    void R5_theLargestRequestIsTheCapacityWithoutTheStripes() {
        ManagedLimiter limiter = limiter(new VirtualTime());
        Rejection rejection = assertInstanceOf(Rejection.class, limiter.tryAcquire(CAPACITY));
        assertEquals(Rejection.Reason.NEVER, rejection.reason());
        assertInstanceOf(Permit.class, limiter.tryAcquire(CAPACITY / 2));
    }

    @Test
    void refusesABatchThatWouldTakeMoreThanHalf() {
        TokenBucket small = TokenBucket.of(10, Duration.ofSeconds(1));
        assertThrows(IllegalArgumentException.class, () -> small.batched(1));
        assertThrows(
                IllegalArgumentException.class,
                () -> small.withCapacity(CAPACITY).batched(0));
        assertThrows(
                IllegalArgumentException.class,
                () -> small.withCapacity(CAPACITY).batched(CAPACITY));
    }

    private static StrategySpec batched(long limit) {
        return TokenBucket.of(limit, Duration.ofSeconds(1))
                .withCapacity(CAPACITY)
                .batched();
    }

    private ManagedLimiter limiter(VirtualTime time) {
        return Limiters.builder("batched", batched(50)).ticker(time).build();
    }

    private static long take(ManagedLimiter limiter, long atMost) {
        long taken = 0;
        while (taken < atMost && limiter.tryAcquire() instanceof Permit) {
            taken++;
        }
        return taken;
    }
}
