package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Strategy;
import dev.weir.testkit.Stress;
import java.math.BigInteger;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The counter behind the rates, by the specification with the most parameters. */
@Tag("property")
class BucketTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long DAY = 86_400 * SECOND;
    private static final long YEAR = 365 * DAY;
    private static final long[] PERMITS = {
        1,
        2,
        3,
        7,
        10,
        1_000,
        100_003,
        999_999_937L,
        1_000_000_007L,
        1L << 31,
        1_000_000_000_000_000_000L,
        Check.MAX_PERMITS
    };
    private static final long[] PERIODS = {
        1, 2, 3, 1_000, 999_983, SECOND / 3, SECOND, 999_999_937L, DAY, DAY + 1, YEAR, Check.MAX_NANOS
    };

    private static TokenBucket spec(long permits, long period, long capacity) {
        return new TokenBucket(permits, Duration.ofNanos(period), capacity, capacity, Refill.GREEDY);
    }

    private static long pick(SplittableRandom random, long[] from) {
        return from[random.nextInt(from.length)];
    }

    private static long randomUpTo(SplittableRandom random, long max) {
        long bits = random.nextLong() >>> random.nextInt(4, 63);
        return Math.max(1, Math.min(max, bits));
    }

    @Test
    void R1_noWindowHoldsMoreThanCapacityPlusRate() {
        Traffic.forAll(400, random -> {
            long permits = random.nextBoolean() ? pick(random, PERMITS) : randomUpTo(random, Check.MAX_PERMITS);
            long period = random.nextBoolean() ? pick(random, PERIODS) : randomUpTo(random, Check.MAX_NANOS);
            long capacity = random.nextBoolean() ? random.nextLong(1, 20) : randomUpTo(random, Check.MAX_PERMITS);
            Traffic traffic = new Traffic(spec(permits, period, capacity), random.nextLong());
            long unit = Math.max(1, Math.min(period / permits, Long.MAX_VALUE / 2_000));
            traffic.random(random, 500, Math.min(capacity, 1 << 20), 3 * unit);
            traffic.assertBound(unit, window -> Traffic.bound(capacity, window, permits, period));
        });
    }

    @Test
    void R1_batchesArriveOnlyOnTheBeat() {
        Traffic.forAll(200, random -> {
            long permits = random.nextLong(1, 20);
            long period = 1 + random.nextLong(1_000);
            long capacity = random.nextLong(1, 40);
            Traffic traffic = new Traffic(
                    new TokenBucket(permits, Duration.ofNanos(period), capacity, capacity, Refill.INTERVAL),
                    random.nextLong());
            traffic.random(random, 500, capacity, 2 * period);
            traffic.assertBound(
                    period, window -> BigInteger.valueOf(capacity + (window + period - 1) / period * permits));
        });
    }

    @Test
    void R1_waitsAreExact() {
        Traffic.forAll(300, random -> {
            long permits = pick(random, PERMITS);
            long period = pick(random, PERIODS);
            long capacity = random.nextBoolean() ? random.nextLong(1, 20) : randomUpTo(random, Check.MAX_PERMITS);
            if (BigInteger.valueOf(capacity)
                                    .multiply(BigInteger.valueOf(period))
                                    .shiftRight(61)
                                    .signum()
                            > 0
                    && BigInteger.valueOf(capacity)
                                    .multiply(BigInteger.valueOf(period))
                                    .divide(BigInteger.valueOf(permits))
                                    .shiftRight(61)
                                    .signum()
                            > 0) {
                return;
            }
            Traffic traffic = new Traffic(spec(permits, period, capacity), random.nextLong());
            traffic.ask(capacity);
            for (int i = 0; i < 30; i++) {
                long wait = traffic.waitFor(Math.min(capacity, random.nextLong(1, 5)));
                if (wait > 1 && wait < Long.MAX_VALUE - 1) {
                    traffic.askExactly(Math.min(capacity, random.nextLong(1, 5)));
                }
            }
        });
    }

    /** Taken in steps of half the capacity or less, so that the bucket is never full and loses nothing. */
    @Test
    void R1_thirtyOneYearsSaturatedDriftByNoMoreThanOnePermit() {
        long end = SECOND * SECOND;
        saturated(10, SECOND, 1L << 20, end);
        saturated(999_999_937L, SECOND, 1L << 45, end);
        saturated(100_003, DAY, 100_003, end);
        saturated(1_000_003, 999_999_937L, 1L << 40, end);
        saturated(7, DAY, 7, end);
        saturated(1_000_000_007L, DAY, 1L << 50, end);
        saturated(3, 999_999_999_999_989L, 3, end);
        saturated(10, SECOND, 10, end / 100_000);
        saturated(999_999_937L, SECOND, 999_999_937L, end / 100_000);
    }

    private static void saturated(long permits, long period, long capacity, long end) {
        Traffic traffic = new Traffic(spec(permits, period, capacity), Long.MAX_VALUE - end / 2);
        long start = traffic.time.read();
        BigInteger due = Traffic.bound(0, end, permits, period);
        long calls = Stress.of(100_000, 100_000, 10_000_000);
        long min = due.divide(BigInteger.valueOf(calls)).longValue();
        long step = Math.max(1, Math.min(capacity / 2, min));
        assertEquals(Strategy.GRANTED, traffic.strategy.acquire(Request.of(capacity)));
        Request request = Request.of(step);
        BigInteger granted = BigInteger.ZERO;
        for (long wait = 0; traffic.time.read() - start + wait <= end; ) {
            traffic.time.advance(wait);
            wait = traffic.strategy.acquire(request);
            granted = wait == Strategy.GRANTED ? granted.add(BigInteger.valueOf(step)) : granted;
        }
        traffic.time.jumpTo(start + end);
        for (long some = step; some > 0; ) {
            if (traffic.strategy.acquire(Request.of(some)) == Strategy.GRANTED) {
                granted = granted.add(BigInteger.valueOf(some));
            } else {
                some /= 2;
            }
        }
        assertEquals(due, granted, () -> permits + " per " + period + " ns");
    }

    @Test
    void R2_pollingEveryMicrosecondStarvesNoRequest() {
        Traffic traffic = new Traffic(spec(10, SECOND, 10));
        traffic.take(11);
        long granted = 0;
        for (int i = 0; i < 10_000_000; i++) {
            traffic.time.advance(1_000);
            granted += traffic.strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0;
        }
        assertEquals(100, granted);
    }

    @Test
    void R3_extremesNeitherThrowNorWaitNegativelyNorExceedTheBound() {
        for (long permits : PERMITS) {
            for (long period : PERIODS) {
                for (long capacity : new long[] {1, 2, 1_000_000_007L, Check.MAX_PERMITS}) {
                    for (Refill refill : Refill.values()) {
                        extreme(permits, period, capacity, refill);
                    }
                }
            }
        }
    }

    private static void extreme(long permits, long period, long capacity, Refill refill) {
        TokenBucket spec = new TokenBucket(permits, Duration.ofNanos(period), capacity, capacity, refill);
        Traffic traffic = new Traffic(spec, Long.MAX_VALUE - 5);
        BigInteger granted = BigInteger.ZERO;
        long elapsed = 0;
        for (long idle : new long[] {0, 1, 3, period, DAY, 1, YEAR, 70 * YEAR, 0, period}) {
            elapsed += idle;
            traffic.time.advance(idle);
            for (long asked : new long[] {1, capacity, capacity + 1, Long.MAX_VALUE, Math.max(1, capacity / 2), 1}) {
                long answer = traffic.waitFor(asked);
                if (asked > capacity) {
                    assertEquals(Strategy.NEVER, answer);
                }
                granted = granted.add(BigInteger.valueOf(answer == Strategy.GRANTED ? asked : 0));
            }
            long window = refill == Refill.GREEDY ? elapsed : (elapsed / period + 1) * period;
            assertTrue(
                    granted.compareTo(Traffic.bound(capacity, window, permits, period)) <= 0,
                    () -> spec + " exceeded its bound");
            assertTrue(traffic.used() >= 0);
        }
    }

    @Test
    void R4_anIdleCenturyAndTheWrapOfTheClockChangeNothing() {
        for (long origin : new long[] {0, -1, Long.MAX_VALUE - 5, Long.MIN_VALUE}) {
            for (long idle : new long[] {6, 100 * YEAR, Long.MAX_VALUE}) {
                Traffic traffic = new Traffic(spec(10, SECOND, 10), origin);
                assertEquals(10, traffic.take(100));
                traffic.time.jumpTo(origin + idle);
                assertEquals(idle == 6 ? 0 : 10, traffic.take(100));
                traffic.time.advance(SECOND / 10);
                assertEquals(1, traffic.take(100));
            }
        }
    }

    /** If the clock runs back over the arrival of a batch, that batch comes again and adds nothing. */
    @Test
    void R4_afterAStepBackAPermitAppearsWithinOneInterval() {
        for (Refill refill : Refill.values()) {
            for (long origin : new long[] {0, Long.MAX_VALUE - 5}) {
                for (long before : new long[] {0, 1, 5 * SECOND, 7_200 * SECOND}) {
                    for (long back : new long[] {1, 1_000_000, 3_600 * SECOND}) {
                        Traffic traffic =
                                new Traffic(new TokenBucket(10, Duration.ofSeconds(1), 10, 10, refill), origin);
                        traffic.take(100);
                        traffic.time.advance(before);
                        traffic.take(100);
                        traffic.time.jumpTo(traffic.time.read() - back);
                        assertEquals(0, traffic.take(100), "a step back earns nothing");
                        traffic.time.advance(refill == Refill.GREEDY ? SECOND / 10 : 2 * SECOND);
                        assertTrue(traffic.ask(), () -> refill + " after " + before + " back by " + back);
                    }
                }
            }
        }
    }

    @Test
    void R4_aClockThatGoesBackAndForthAddsItsForwardStepsOnly() {
        Traffic.forAll(100, random -> {
            Traffic traffic = new Traffic(spec(10, SECOND, 10), random.nextLong());
            long forward = 0;
            long granted = 0;
            for (int i = 0; i < 500; i++) {
                long step = random.nextLong(-SECOND, SECOND);
                forward += Math.max(0, step);
                traffic.time.jumpTo(traffic.time.read() + step);
                granted += traffic.take(100);
            }
            long bound = 10 + forward / (SECOND / 10);
            long max = granted;
            assertTrue(max <= bound, () -> max + " granted, bound " + bound);
        });
    }

    @Test
    void R4_aFrozenClockGrantsTheCapacityAndNoMore() {
        Traffic traffic = new Traffic(spec(10, SECOND, 10));
        assertEquals(10, traffic.take(1_000));
        assertEquals(SECOND / 10, traffic.waitFor(1));
        assertEquals(SECOND / 10, traffic.waitFor(1));
    }

    @Test
    void R6_aRefundReturnsWhatHasNotRefilledSince() {
        Traffic traffic = new Traffic(spec(10, SECOND, 100));
        long then = traffic.time.read();
        traffic.ask(100);
        traffic.strategy.refund(Request.of(100), then);
        assertEquals(100, traffic.take(1_000));
    }

    /** A takes all 100, B the 99 that arrive; when A is refunded at 9.95 s, B may take the capacity once, not twice. */
    @Test
    void R6_refundsAddNothing() {
        Traffic traffic = new Traffic(spec(10, SECOND, 100));
        long then = traffic.time.read();
        traffic.ask(100);
        traffic.time.advance(9_950_000_000L);
        long kept = traffic.take(1_000);
        assertEquals(99, kept);
        traffic.strategy.refund(Request.of(100), then);
        kept += traffic.take(1_000);
        long max = kept;
        assertTrue(max <= 100, () -> max + " held at one instant by a bucket of 100");
    }

    /** Whatever is taken and refunded, what is not refunded stays within the bound. */
    @Test
    void R1_R6_theBoundHoldsForGrantsThatAreNotRefunded() {
        Traffic.forAll(200, random -> {
            Traffic traffic = new Traffic(spec(10, SECOND, 10), random.nextLong());
            for (int i = 0; i < 300; i++) {
                long then = traffic.time.read();
                long cancelled = random.nextLong(1, 11);
                boolean taken = random.nextBoolean() && traffic.strategy.acquire(Request.of(cancelled)) == 0;
                traffic.time.advance(random.nextLong(SECOND));
                traffic.take(random.nextLong(10));
                if (taken) {
                    traffic.strategy.refund(Request.of(cancelled), then);
                }
                traffic.take(random.nextLong(10));
            }
            traffic.assertBound(SECOND / 10, window -> Traffic.bound(10, window, 10, SECOND));
        });
    }
}
