package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One rate algorithm takes over from another. */
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

    /** Whatever takes over from whatever: at most what both could hold, ever, at one instant. */
    @Test
    void W6_noMoreThanBothBurstsTogether() {
        for (StrategySpec from : rates(10)) {
            for (StrategySpec to : rates(20)) {
                Traffic traffic = new Traffic(from);
                long granted = traffic.take(7);
                traffic.change(to);
                granted += traffic.take(100);
                assertTrue(granted <= 30, from + " to " + to);
                assertEquals(20, traffic.strategy.limit());
            }
        }
    }

    /** All of one is used up, of a pacer one slot; the other owes that, and pays it within two periods. */
    @Test
    void W6_theDebtIsCarriedAndIsPaid() {
        for (StrategySpec from : rates(10)) {
            for (StrategySpec to : rates(10)) {
                Traffic traffic = new Traffic(from);
                traffic.take(100);
                traffic.change(to);
                boolean sliding = to instanceof SlidingWindow || to instanceof SlidingLog;
                boolean paced = from instanceof Pacer && !(to instanceof Pacer) && !sliding;
                assertEquals(paced ? 9 : 0, traffic.take(100), from + " to " + to);
                traffic.time.advance(2 * NANOS);
                assertEquals(to instanceof Pacer ? 1 : 10, traffic.take(100), from + " to " + to);
            }
        }
    }

    /** To and fro between two of the same rate and burst: at one instant no more than both bursts. */
    @Test
    void W5_W6_anyChainOfChanges() {
        Seed.forAll(Traffic.runs(100), random -> {
            List<StrategySpec> rates = rates(10);
            Traffic traffic = new Traffic(rates.get(random.nextInt(rates.size())), random.nextLong());
            StrategySpec from = rates.get(random.nextInt(rates.size()));
            StrategySpec to = rates.get(random.nextInt(rates.size()));
            for (int change = 0; change < 1_000; change++) {
                traffic.take(100);
                traffic.change(change % 2 == 0 ? to : from);
                traffic.take(100);
            }
            long most = traffic.grants.size();
            assertTrue(most <= 20, () -> most + " granted at one instant by " + from + " and " + to);
        });
    }

    @Test
    void W1_oneFamilyGoesOnWithTheSameCounter() {
        List<StrategySpec> tokens = rates(10).subList(0, 4);
        for (StrategySpec from : tokens) {
            for (StrategySpec to : tokens) {
                Traffic traffic = new Traffic(from);
                assertEquals(6, traffic.take(6));
                Strategy before = traffic.strategy;
                traffic.change(to);
                assertSame(before, traffic.strategy);
                assertEquals(4, traffic.take(100), from + " to " + to);
            }
        }
        for (StrategySpec same : rates(10)) {
            Traffic traffic = new Traffic(same);
            Strategy before = traffic.strategy;
            traffic.change(same);
            assertSame(before, traffic.strategy);
        }
        Traffic traffic = new Traffic(TokenBucket.of(10, SECOND));
        Strategy before = traffic.strategy;
        traffic.change(FixedWindow.of(10, SECOND));
        assertNotSame(before, traffic.strategy);
    }

    /** 3 of 10 used in one window are 3 of 10 used in the other, not a whole window's debt. */
    @Test
    void W6_windowsTellEachOtherWhatWasUsed() {
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

    /** 5 of 10 missing at 10 a second are half a second: of a fixed window 5, of a sliding one all until then. */
    @Test
    void W6_aBucketsDebtIsTheSameTimeInAWindow() {
        for (StrategySpec to : rates(10).subList(5, 9)) {
            Traffic traffic = new Traffic(TokenBucket.of(10, SECOND));
            traffic.take(5);
            traffic.change(to);
            boolean fixed = to instanceof FixedWindow window && window.alignedTo() == null;
            assertEquals(fixed ? 5 : 0, traffic.take(100), () -> "" + to);
            traffic.time.advance(NANOS * 6 / 10);
            assertEquals(fixed ? 0 : 10, traffic.take(100), () -> "" + to);
        }
    }

    /** One of a table of many is as any other, also by terms that began long before it. */
    @Test
    void oneOfManyIsAsGoodAsNew() {
        for (StrategySpec spec : rates(10)) {
            VirtualTime time = new VirtualTime(Long.MAX_VALUE - 5);
            StrategySpec many = spec.forMany(time);
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

    /** 100 a second with nothing left owes a second: of 3,600 an hour that is one permit, not an hour. */
    @Test
    void W6_aShortDebtDoesNotCloseALongWindow() {
        Traffic traffic = new Traffic(TokenBucket.of(100, SECOND));
        traffic.take(100);
        traffic.change(FixedWindow.of(3_600, Duration.ofHours(1)));
        assertEquals(3_599, traffic.take(10_000));
    }
}
