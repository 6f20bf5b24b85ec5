package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Parts;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One rate algorithm replaces another. */
@Tag("property")
class RateChangeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long NANOS = SECOND.toNanos();

    private static List<StrategySpec> rates(long limit) {
        return List.of(
                TokenBucket.of(limit, SECOND),
                new TokenBucket(limit, SECOND, limit, limit, Refill.INTERVAL),
                LeakyBucket.of(limit, SECOND).withBurst(limit - 1),
                Gcra.of(limit, SECOND),
                Pacer.of(limit, SECOND).withLargest(limit),
                FixedWindow.of(limit, SECOND),
                FixedWindow.aligned(limit, SECOND, InstantSource.fixed(Instant.ofEpochMilli(1_700_000_000_700L))),
                SlidingWindow.of(limit, SECOND),
                SlidingLog.of(limit, SECOND));
    }

    /** For all pairs: at one instant at most the larger burst. A pacer counts a slot that has passed as used. */
    @Test
    void W5_noMoreThanTheLargerBurst() {
        for (StrategySpec from : rates(10)) {
            for (StrategySpec to : rates(20)) {
                Traffic traffic = new Traffic(from);
                traffic.take(7);
                long used = traffic.used();
                traffic.change(to);
                long after = traffic.take(100);
                long paced = from instanceof Pacer ? 0 : 1;
                assertEquals(to instanceof Pacer ? paced : 20 - used, after, from + " to " + to);
                assertEquals(20, traffic.strategy.limit());
            }
        }
    }

    /** All of one is used, of a pacer one slot; the other starts with that debt, and refills it within two periods. */
    @Test
    void W5_theDebtIsCarriedAndRefills() {
        for (StrategySpec from : rates(10)) {
            for (StrategySpec to : rates(10)) {
                Traffic traffic = new Traffic(from);
                traffic.take(100);
                long used = traffic.used();
                traffic.change(to);
                long left = to instanceof Pacer ? Math.min(1, 10 - used) : 10 - used;
                assertEquals(from.equals(to) && to instanceof Pacer ? 0 : left, traffic.take(100), from + " to " + to);
                traffic.time.advance(2 * NANOS);
                assertEquals(to instanceof Pacer ? 1 : 10, traffic.take(100), from + " to " + to);
            }
        }
    }

    @Test
    void W5_anyChainOfChangesAtOneInstant() {
        Traffic.forAll(100, random -> {
            List<StrategySpec> rates = rates(10);
            Traffic traffic = new Traffic(rates.get(random.nextInt(rates.size())), random.nextLong());
            StrategySpec from = rates.get(random.nextInt(rates.size()));
            StrategySpec to = rates.get(random.nextInt(rates.size()));
            for (int change = 0; change < 1_000; change++) {
                traffic.take(100);
                traffic.change(change % 2 == 0 ? to : from);
                traffic.take(100);
            }
            long max = traffic.grants.size();
            assertTrue(max <= 10, () -> max + " granted at one instant by " + from + " and " + to);
        });
    }

    /** 6 of 10 used stay used of 20, in place; in 5 they do not fit, so a bucket is replaced, and a window continues. */
    @Test
    void W1_aLimitOfTheSameKindContinues() {
        for (int i = 0; i < 9; i++) {
            Traffic traffic = new Traffic(rates(10).get(i));
            long used = traffic.take(6);
            StrategySpec larger = rates(20).get(i);
            boolean isInterval = larger instanceof TokenBucket bucket && bucket.refill() == Refill.INTERVAL;
            assertEquals(!isInterval, isInPlace(traffic, larger), () -> "" + larger);
            assertEquals(used == 1 ? 0 : 14, traffic.take(100), () -> "" + larger);
        }
        Traffic traffic = new Traffic(TokenBucket.of(10, SECOND));
        traffic.take(6);
        assertFalse(isInPlace(traffic, TokenBucket.of(5, SECOND)));
        assertEquals(-1, traffic.waitFor(6));
        assertFalse(isInPlace(traffic, FixedWindow.of(10, SECOND)));
        assertFalse(isInPlace(traffic, FixedWindow.of(10, SECOND.multipliedBy(2))), "another period");
        assertFalse(isInPlace(traffic, FixedWindow.aligned(10, SECOND.multipliedBy(2))), "another alignment");
        traffic.take(100);
        assertTrue(isInPlace(traffic, new FixedWindow(5, SECOND.multipliedBy(2), InstantSource.system())));
    }

    private static boolean isInPlace(Traffic traffic, StrategySpec next) {
        Strategy before = traffic.strategy;
        traffic.change(next);
        return before == traffic.strategy;
    }

    /** 3 of 10 used in one window are 3 of 10 used in the other, not a whole window's debt. */
    @Test
    void W5_aWindowStartsWithWhatAnotherUsed() {
        List<StrategySpec> windows = rates(10).subList(5, 9);
        for (StrategySpec from : windows) {
            for (StrategySpec to : windows) {
                Traffic traffic = new Traffic(from);
                assertEquals(3, traffic.take(3));
                traffic.change(to);
                assertEquals(7, traffic.take(100), from + " to " + to);
            }
        }
    }

    /**
     * 5 of 10 missing leave 5. 600 ms later 6 of the 10 missing then have refilled; but a window still counts its 5, unless
     * it is the aligned one, which started again after 300 ms.
     */
    @Test
    void W5_whatIsMissingFromABucketIsADebtOfAWindow() {
        for (StrategySpec to : rates(10).subList(5, 9)) {
            Traffic traffic = new Traffic(TokenBucket.of(10, SECOND));
            traffic.take(5);
            traffic.change(to);
            assertEquals(5, traffic.take(100), () -> "" + to);
            traffic.time.advance(NANOS * 6 / 10);
            boolean anew = to instanceof FixedWindow window && window.alignedTo() != null;
            assertEquals(anew ? 6 : 5, traffic.take(100), () -> "" + to);
        }
    }

    /** A strategy with shared parameters is like any other, even if they began long before it. */
    @Test
    void aSharedStrategyStartsLikeANewOne() {
        for (StrategySpec spec : rates(10)) {
            VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);
            StrategySpec many = Parts.of(spec).forMany(time, null);
            for (int i = 0; i < 5; i++) {
                Strategy strategy = many.create(time);
                assertEquals(spec instanceof Pacer ? 1 : 10, take(strategy, 100), () -> "" + spec);
                assertEquals(0, take(many.create(time), 100) - take(spec.create(time), 100));
                time.advance(i * i * i * 100_000_000_000_000_000L);
            }
        }
    }

    private static long take(Strategy strategy, int atMost) {
        long taken = 0;
        while (taken < atMost && strategy.acquire(Request.ONE) == Strategy.GRANTED) {
            taken++;
        }
        return taken;
    }

    /** 100 of 100 per second are 100 of 3,600 per hour, of which one refills each second. */
    @Test
    void W5_aSlowRateGetsTheDebtOfAFastOne() {
        Traffic traffic = new Traffic(TokenBucket.of(100, SECOND));
        traffic.take(100);
        traffic.change(FixedWindow.of(3_600, Duration.ofHours(1)));
        assertEquals(3_500, traffic.take(10_000));
        assertEquals(NANOS, traffic.waitFor(1));
    }
}
