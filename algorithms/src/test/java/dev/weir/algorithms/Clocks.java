package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Checks of windows with a limit of ten under unusual clocks. */
final class Clocks {
    private static final long YEAR = 365L * 86_400 * 1_000_000_000;

    private Clocks() {}

    /** The whole limit, none until the end of the hinted wait, then the whole limit; also after an idle century. */
    static void extremes(LongFunction<StrategySpec> specOf) {
        for (long period : new long[] {1, 3, 999_999_937L, YEAR, Check.MAX_NANOS}) {
            for (long origin : new long[] {0, -1, Long.MAX_VALUE - 5, Long.MIN_VALUE}) {
                Traffic traffic = new Traffic(specOf.apply(period), origin);
                long limit = traffic.strategy.limit();
                assertEquals(Strategy.NEVER, traffic.waitFor(Long.MAX_VALUE));
                assertTrue(traffic.ask(limit));
                traffic.askExactly(1);
                assertTrue(traffic.used() > 0);
                traffic.time.jumpTo(traffic.time.read() + Long.MAX_VALUE);
                assertEquals(0, traffic.used());
                assertTrue(traffic.ask(limit));
                traffic.askExactly(limit);
            }
        }
    }

    /** A step back adds nothing; {@code back} nanoseconds after it, everything used is free again. */
    static void steppedBack(StrategySpec spec, long back) {
        for (long before : new long[] {0, 5, back / 2, 10 * back, 2 * YEAR}) {
            for (long step : new long[] {1, 1_000_000, 3_600_000_000_000L, 150 * YEAR}) {
                Traffic traffic = new Traffic(spec, Long.MAX_VALUE - 5);
                traffic.time.advance(before);
                assertEquals(10, traffic.take(100));
                traffic.time.jumpTo(traffic.time.read() - step);
                assertEquals(0, traffic.take(100));
                long wait = traffic.waitFor(1);
                assertTrue(wait <= back, () -> "waits " + wait + " after a step back by " + step);
                traffic.time.advance(wait);
                assertTrue(traffic.ask());
            }
        }
    }

    /** Counting forward steps only, no period has more than the limit. */
    static void flapping(StrategySpec spec, long period, long limit) {
        Traffic.forAll(100, random -> {
            Traffic traffic = new Traffic(spec, random.nextLong());
            long forward = 0;
            long granted = 0;
            for (int i = 0; i < 500; i++) {
                long step = random.nextLong(-period / 2, period / 2);
                forward += Math.max(0, step);
                traffic.time.jumpTo(traffic.time.read() + step);
                granted += traffic.take(100);
            }
            long bound = (forward / period + 1) * limit;
            long max = granted;
            assertTrue(max <= bound, () -> max + " granted, bound " + bound);
            assertTrue(max >= bound / 3, () -> max + " granted, of " + bound);
        });
    }

    /** Threads whose readings arrive out of order: the clock did not run back, and nothing is added. */
    static void racing(StrategySpec spec, long period) throws Exception {
        AtomicLong clock = new AtomicLong();
        Strategy strategy = spec.create(() -> clock.addAndGet(period / 1_000));
        AtomicLong granted = new AtomicLong();
        BucketChangeTest.inParallel(4, () -> {
            long mine = 0;
            for (int i = 0; i < 200_000; i++) {
                mine += strategy.acquire(Request.ONE) == Strategy.GRANTED ? 1 : 0;
            }
            granted.addAndGet(mine);
        });
        long periods = clock.get() / period;
        long max = (periods + 1) * strategy.limit();
        long min = (periods - 1) * strategy.limit() * 8 / 10;
        assertTrue(granted.get() <= max, () -> granted + " granted, bound " + max);
        assertTrue(granted.get() >= min, () -> granted + " granted, at least " + min);
    }

    /** Ten of ten taken; what is refunded can be taken again, also late in the period, but only once. */
    static void refunds(StrategySpec spec) {
        Traffic traffic = new Traffic(spec);
        long then = traffic.time.read();
        assertTrue(traffic.ask(4));
        traffic.time.advance(1);
        assertTrue(traffic.ask(6));
        traffic.time.advance(900_000_000);
        traffic.strategy.refund(Request.of(6), then);
        assertEquals(6, traffic.take(100));
        traffic.time.jumpTo(traffic.time.read() - 500_000_000);
        traffic.strategy.refund(Request.of(4), then);
        assertEquals(0, traffic.take(100), "after a step back the age of the grant is unknown");
    }
}
