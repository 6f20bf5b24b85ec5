package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Strategy;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The counter behind the rates while its parameters change and threads compete. */
@Tag("property")
class BucketChangeTest {
    private static final long SECOND = 1_000_000_000L;

    private static TokenBucket spec(long permits, long capacity) {
        return TokenBucket.of(permits, Duration.ofSeconds(1)).withCapacity(capacity);
    }

    @Test
    void W5_aThousandChangesAtOneInstantAdmitNoMoreThanTheLargest() {
        Traffic traffic = new Traffic(spec(10, 10));
        long granted = 0;
        for (int i = 0; i < 1_000; i++) {
            granted += traffic.take(100);
            traffic.change(spec(10 + i % 2, 10 + i % 2));
            granted += traffic.take(100);
            traffic.strategy.setLimit(10 + i % 3);
        }
        assertEquals(11, granted);
    }

    /** 3 of 10 used: of 20 there are 17 left, of 4 one, of 20 again 17. */
    @Test
    void W5_whatWasUsedStaysUsedWhicheverWayTheCapacityGoes() {
        Traffic traffic = new Traffic(spec(10, 10));
        assertEquals(3, traffic.take(3));
        traffic.change(spec(10, 20));
        assertEquals(17, traffic.remaining());
        traffic.change(spec(10, 4));
        assertEquals(1, traffic.remaining());
        traffic.change(spec(10, 20));
        assertEquals(17, traffic.take(100));
        assertEquals(SECOND / 10, traffic.waitFor(1));
        traffic.strategy.setLimit(1_000);
        assertEquals(SECOND / 1_000, traffic.waitFor(1));
    }

    /** Half a token at 10/s is half a token at 1/s: 50 ms become 500 ms. */
    @Test
    void W5_aDebtOfHalfAPermitStaysHalfAPermit() {
        Traffic traffic = new Traffic(spec(10, 10));
        traffic.take(10);
        traffic.time.advance(SECOND / 20);
        assertEquals(SECOND / 20, traffic.waitFor(1));
        traffic.strategy.setLimit(1);
        assertEquals(SECOND / 2, traffic.waitFor(1));
        traffic.strategy.setLimit(10);
        assertEquals(SECOND / 20, traffic.waitFor(1));
    }

    @Test
    void W5_changesInAnyOrderAddNothing() {
        Traffic.forAll(200, random -> {
            Traffic traffic = new Traffic(spec(10, 10), random.nextLong());
            long earned = 30 * SECOND;
            long rate = 10;
            long granted = 0;
            for (int i = 0; i < 200; i++) {
                long step = random.nextLong(SECOND / 10);
                traffic.time.advance(step);
                earned += step * rate;
                granted += traffic.take(random.nextLong(20));
                rate = random.nextLong(1, 30);
                if (random.nextBoolean()) {
                    traffic.strategy.setLimit(rate);
                } else {
                    traffic.change(spec(rate, random.nextLong(1, 30)));
                }
            }
            long bound = earned / SECOND;
            long max = granted;
            assertTrue(max <= bound, () -> max + " granted, bound " + bound);
        });
    }

    /**
     * 10 used at 0, a debt from 100 ms on. At 1 s, 0.5 s at 11 and 0.4 s at 10 per second have passed: 9.5 less what each
     * of ten changes rounds up.
     */
    @Test
    void R2_changesFasterThanBatchesStarveNoRequest() {
        TokenBucket ten = new TokenBucket(10, Duration.ofSeconds(1), 10, 10, Refill.INTERVAL);
        TokenBucket eleven = new TokenBucket(11, Duration.ofSeconds(1), 11, 11, Refill.INTERVAL);
        Traffic traffic = new Traffic(ten);
        traffic.take(10);
        for (int i = 0; i < 10; i++) {
            traffic.time.advance(SECOND / 10);
            traffic.change(i % 2 == 0 ? eleven : ten);
        }
        assertEquals(9, traffic.take(100));
    }

    @Test
    void R4_W5_aChangeAfterAStepBackCarriesNoMoreThanTheCapacityAsDebt() {
        Traffic traffic = new Traffic(spec(10, 10));
        traffic.time.advance(7_200 * SECOND);
        assertEquals(10, traffic.take(100));
        traffic.time.jumpTo(traffic.time.read() - 3_600 * SECOND);
        traffic.strategy.setLimit(20);
        assertEquals(SECOND / 20, traffic.waitFor(1));
    }

    @Test
    void W1_theCounterOutlivesEveryChange() {
        Traffic traffic = new Traffic(spec(10, 10));
        Strategy before = traffic.strategy;
        traffic.change(spec(3, 3));
        assertSame(before, traffic.strategy);
    }

    /** A change that is requested earlier and made later must not find the bucket in its future. */
    @Test
    void W3_changesThatRaceLoseNoTokens() throws Exception {
        AtomicLong clock = new AtomicLong();
        Ticker ticker = clock::incrementAndGet;
        Strategy strategy =
                TokenBucket.of(1, Duration.ofDays(1)).withCapacity(1_000_000).create(ticker);
        inParallel(2, () -> {
            for (int i = 0; i < 20_000; i++) {
                strategy.setLimit(1 + i % 2);
            }
        });
        long there = 0;
        while (strategy.acquire(Request.of(1_000)) == Strategy.GRANTED) {
            there += 1_000;
        }
        assertEquals(1_000_000, there);
    }

    @Test
    void R8_twoThreadsForOnePermit() throws Exception {
        VirtualTime time = new VirtualTime();
        int rounds = 20_000;
        List<Strategy> strategies = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            strategies.add(spec(1, 1).create(time));
        }
        AtomicLong granted = new AtomicLong();
        inParallel(2, () -> {
            long mine = 0;
            for (Strategy strategy : strategies) {
                mine += strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0;
            }
            granted.addAndGet(mine);
        });
        assertEquals(rounds, granted.get());
    }

    @Test
    void R8_fourThreadsGetTheCapacityExactly() throws Exception {
        Strategy strategy = spec(1_000, 200_000).create(new VirtualTime());
        AtomicLong granted = new AtomicLong();
        inParallel(4, () -> {
            for (int i = 0; i < 100_000; i++) {
                granted.addAndGet(strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0);
            }
        });
        assertEquals(200_000, granted.get());
    }

    @Test
    void R8_W1_changesDuringRequestsAddAndLoseNothing() throws Exception {
        Strategy strategy = spec(1_000, 100_000).create(new VirtualTime());
        AtomicLong granted = new AtomicLong();
        AtomicLong threads = new AtomicLong();
        inParallel(4, () -> {
            boolean changer = threads.getAndIncrement() == 0;
            for (int i = 0; i < 50_000; i++) {
                if (changer) {
                    strategy.setLimit(1 + i % 7);
                } else {
                    granted.addAndGet(strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0);
                }
            }
        });
        while (strategy.acquire(Request.ONE) == Strategy.GRANTED) {
            granted.incrementAndGet();
        }
        assertEquals(100_000, granted.get());
    }

    @Test
    void R6_refundsDuringChangesAreApplied() throws Exception {
        VirtualTime time = new VirtualTime();
        Strategy strategy = spec(1_000, 1_000).create(time);
        AtomicLong threads = new AtomicLong();
        inParallel(2, () -> {
            boolean changer = threads.getAndIncrement() == 0;
            for (int i = 0; i < 50_000; i++) {
                if (changer) {
                    strategy.setLimit(1 + i % 7);
                } else if (strategy.acquire(Request.ONE) == Strategy.GRANTED) {
                    strategy.refund(Request.ONE, time.read());
                }
            }
        });
        long left = 0;
        while (strategy.acquire(Request.ONE) == Strategy.GRANTED) {
            left++;
        }
        assertEquals(1_000, left);
    }

    /** At 2^60 permits per nanosecond a state lasts two nanoseconds, less than a reading of the clock takes. */
    @Test
    void R3_aRateFasterThanTheClockIsDecided() {
        AtomicLong readings = new AtomicLong();
        Strategy strategy = TokenBucket.of(Check.MAX_PERMITS, Duration.ofNanos(1))
                .create(() -> {
                    assertTrue(readings.incrementAndGet() < 100, "reads the clock again and again");
                    return 1_000 * readings.get();
                });
        assertEquals(Strategy.GRANTED, strategy.acquire(Request.ONE));
    }

    static void inParallel(int count, Runnable work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(count);
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failed = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    work.run();
                } catch (Throwable t) {
                    failed.add(t);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), failed);
    }
}
