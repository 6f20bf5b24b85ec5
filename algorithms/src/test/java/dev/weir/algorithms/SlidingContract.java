package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Adjustable;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.math.BigInteger;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What all sliding windows have in common. */
@Tag("contract")
abstract class SlidingContract extends StrategyContract {
    static final Duration SECOND = Duration.ofSeconds(1);

    /** A window of this many nanoseconds, of random precision. */
    abstract StrategySpec nanos(long limit, long period, SplittableRandom random);

    /** How many nanoseconds after its period a permit of {@link #spec} may be free again. */
    abstract long delay();

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return limit * ((windowNanos + period() - 1) / period());
    }

    @Test
    void R1_waitsAreExactForRequestsOfAnySize() {
        Traffic.forAll(100, random -> {
            Traffic traffic = new Traffic(nanos(20, random.nextLong(1, 1_000), random));
            for (int i = 0; i < 100; i++) {
                traffic.askExactly(random.nextLong(1, 21));
                traffic.time.advance(random.nextLong(100));
            }
        });
    }

    @Test
    void R4_clocksThatRunBack() {
        Clocks.steppedBack(spec(10), period() + delay());
        Clocks.flapping(spec(10), period(), 10);
    }

    /** 8 of 10 used: 4 leaves none, 10 again leaves 2. */
    @Test
    void W5_whatWasUsedStaysUsedWhicheverWayTheLimitGoes() {
        Traffic traffic = new Traffic(spec(10));
        assertEquals(8, traffic.take(8));
        traffic.change(spec(4));
        assertEquals(period() + delay(), traffic.waitFor(1));
        Strategy before = traffic.strategy;
        traffic.change(spec(10));
        assertSame(before, traffic.strategy);
        assertEquals(2, traffic.take(100));
    }

    @Test
    void W5_afterAnotherPeriodTheLimitAndWhatRefillsSteadily() {
        Traffic.forAll(100, random -> {
            Traffic traffic = new Traffic(nanos(10, 1_000, random), random.nextLong());
            for (int i = 0; i < 300; i++) {
                traffic.take(random.nextLong(12));
                traffic.time.advance(random.nextLong(300));
                if (random.nextInt(4) == 0) {
                    traffic.change(nanos(10, random.nextLong(1_000, 2_000), random));
                }
            }
            traffic.assertBound(1_000, window -> BigInteger.valueOf(10 + window * 10 / 1_000));
        });
    }

    /** A limit that is set to what it is changes nothing, also where the clock has run back. */
    @Test
    void W5_theSameLimitChangesNothing() {
        long[] left = new long[2];
        for (int set = 0; set < 2; set++) {
            VirtualTime time = new VirtualTime(10 * period());
            Strategy strategy = spec(1).create(time);
            assertEquals(0, strategy.acquire(Request.ONE));
            time.jumpTo(10 * period() - period() / 2);
            if (set == 1) {
                ((Adjustable) strategy).setLimit(1);
            }
            time.advance(period());
            left[set] = strategy.acquire(Request.ONE);
        }
        assertEquals(left[0], left[1]);
    }

    @Test
    void R8_R4_readingsOutOfOrder() throws Exception {
        Clocks.racing(spec(10), period());
    }

    @Test
    void R6_refunds() {
        Clocks.refunds(spec(10));
    }
}
