package dev.weir.store.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateRatesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void unitsHaveNoCommonDivisor() {
        assertEquals(
                List.of(1L, 10_000L, 200_000L, 20L, 0L, 100L),
                parameters(TokenBucket.of(100, SECOND).withCapacity(20)));
        assertEquals(List.of(3L, 1_000_000L, 6_000_000L, 6L, 0L, 3L), parameters(new LeakyBucket(3, SECOND, 5)));
        assertEquals(List.of(3_000L, 7L, 21L, 3L, 0L, 3L), parameters(TokenBucket.of(3, Duration.ofNanos(7))));
        assertEquals(List.of(500L, 166_666_667L, 500_000_000L, 2L, 0L, 3L), parameters(Gcra.of(3, SECOND)));
        assertEquals(List.of(1L, 20_000L, 40_000L, 1L, 1L, 50L), parameters(Pacer.of(50, SECOND)));
        assertEquals(
                List.of(1L, 50_000L, 20L, 142_858L, 7L),
                parameters(SlidingWindow.of(20, SECOND).withBlocks(7)));
        assertEquals(List.of(1L, 50_000L, 20L, 1_000_000L), parameters(SlidingLog.of(20, SECOND)));
        assertEquals(List.of(1L, 50_000L, 20L, 1_000_000L, 1L), parameters(FixedWindow.aligned(20, SECOND)));
    }

    @Test
    void theRateOfAWindowsDebtIsRoundedDown() {
        long day = Duration.ofDays(1).toNanos() / 1_000;
        List<Long> rate = parameters(FixedWindow.of(999_999_937, Duration.ofDays(1)));
        assertTrue(rate.get(1) * 999_999_937.0 < 1L << 50);
        double kept = (double) rate.get(0) / rate.get(1) / (999_999_937.0 / day);
        assertTrue(kept <= 1 && kept > 0.99, rate + " keeps " + kept);
    }

    @Test
    void aKeyedLimitIsThatOfEachKeyAndOneOfOneLimitIsItself() {
        StrategySpec bucket = TokenBucket.of(100, SECOND);
        assertEquals(parameters(bucket), parameters(Keyed.of(bucket, 100)));
        assertEquals(parameters(bucket), parameters(AllOf.of(bucket)));
    }

    @Test
    void whatCannotBeCountedIsRefusedWithTheReason() {
        StrategySpec bucket = TokenBucket.of(100, SECOND);
        refused(new Semaphore(10), "it holds permits until release; use a semaphore of the store, as RedisSemaphore");
        refused(WarmUp.of(bucket, SECOND), "there is no arithmetic for a WarmUp");
        refused(new TokenBucket(1, SECOND, 1, 1, Refill.INTERVAL), "tokens must arrive one by one");
        refused(new TokenBucket(1, SECOND, 1, 0, Refill.GREEDY), "it must be full at the start");
        refused(SlidingLog.of(1 << 17, SECOND), "the limit of a log must be <= 65536");
        refused(SlidingWindow.of(10, SECOND).withBlocks(61), "a window must have at most 60 blocks");
        refused(FixedWindow.aligned(1, SECOND, () -> Instant.EPOCH), "aligned to the clock of the store only");
        refused(FixedWindow.aligned(1, Duration.ofNanos(1_500)), "must be whole microseconds");
        refused(AllOf.of(bucket, SlidingLog.of(1, SECOND)), "each must be a bucket, a GCRA or a pacer");
        refused(AllOf.of(bucket, Settled.of(bucket)), "none may count by cost; use a limiter of its own");
        refused(Settled.of(new Ban(LeakyBucket.of(2, SECOND), SECOND)), "a ban does not count by cost");
        refused(Settled.of(WarmUp.of(bucket, SECOND)), "there is no arithmetic for a WarmUp");
        refused(new AllOf(Collections.nCopies(9, bucket)), "it has more than 8 limits");
        refused(TokenBucket.of((1L << 60) - 1, Duration.ofDays(1)), "need more than 52 bits");
        refused(TokenBucket.of(1, SECOND).withCapacity(1L << 60), "need more than 52 bits");
    }

    @Test
    void permitsOfEvenRatesRefillOneByOneAndThoseOfWindowsAtOnce() {
        long second = SECOND.toNanos();
        TokenBucket ten = TokenBucket.of(10, SECOND);
        assertEquals(0, StateRates.of(ten).refilled(second / 10 - 1_000));
        assertEquals(1, StateRates.of(ten).refilled(second / 10));
        assertEquals(0, StateRates.of(ten).refilled(-second));
        assertTrue(StateRates.of(ten).refilled(Long.MAX_VALUE) >= Long.MAX_VALUE / second * 10);
        AllOf both = AllOf.of(TokenBucket.of(1, SECOND), ten);
        assertEquals(20, StateRates.of(both).refilled(2 * second));
        assertEquals(
                4, StateRates.of(new Ban(LeakyBucket.of(2, SECOND), SECOND)).refilled(2 * second));
        assertEquals(-1, StateRates.of(FixedWindow.of(10, SECOND)).refilled(second));
    }

    @Test
    void aLimitByCostHasTheParametersOfItsRate() {
        for (StrategySpec rate : List.of(TokenBucket.of(100, SECOND), SlidingWindow.of(20, SECOND))) {
            assertEquals(parameters(rate), parameters(Settled.of(rate)));
            assertTrue(StateRates.of(Keyed.of(Settled.of(rate), 100)).countsCost());
            assertTrue(StateRates.of(Settled.of(rate).once()).grantsMoreOnce());
        }
    }

    private static List<Long> parameters(StrategySpec spec) {
        return StateRates.of(spec).parameters();
    }

    private static void refused(StrategySpec spec, String why) {
        String message = ""
                + assertThrows(IllegalArgumentException.class, () -> StateRates.of(spec))
                        .getMessage();
        assertTrue(message.contains(" cannot be counted by a store: ") && message.contains(why), message);
    }
}
