package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TokenBucketTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return TokenBucket.of(limit, Duration.ofSeconds(1));
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return limit + windowNanos * limit / 1_000_000_000L;
    }

    /** 3 tokens in 10 ns, 4 kept: a token every 3.33 ns, whole ones at 3.33, 6.67, 10, 13.33, 16.67 and 20 ns. */
    @Test
    void aGreedyBucketByHand() {
        Traffic traffic = new Traffic(new TokenBucket(3, Duration.ofNanos(10), 4, 4, Refill.GREEDY));
        assertEquals(4, traffic.take(9)); // at 0: full
        assertEquals(4, traffic.waitFor(1)); // 3.33, rounded up
        traffic.time.advance(3); // at 3: 0.9 tokens
        assertEquals(1, traffic.waitFor(1));
        traffic.time.advance(1); // at 4: 1.2
        assertTrue(traffic.ask(1)); // 0.2
        assertEquals(6, traffic.waitFor(2)); // at 10: 3 - 1 = 2
        traffic.time.advance(6);
        assertTrue(traffic.ask(2)); // 0 exactly
        assertEquals(14, traffic.waitFor(4)); // 13.33
        traffic.time.advance(13);
        assertEquals(1, traffic.waitFor(4)); // 3.9
        traffic.time.advance(1);
        assertTrue(traffic.ask(4)); // full at 23.33, 4 taken at 24
        assertEquals(-1, traffic.waitFor(5)); // more than the capacity
    }

    /** 3 tokens every 10 ns, 4 kept, 1 at the start. */
    @Test
    void anIntervalBucketByHand() {
        Traffic traffic = new Traffic(new TokenBucket(3, Duration.ofNanos(10), 4, 1, Refill.INTERVAL));
        assertEquals(1, traffic.take(9));
        assertEquals(10, traffic.waitFor(3));
        assertEquals(20, traffic.waitFor(4));
        traffic.time.advance(9);
        assertEquals(1, traffic.waitFor(1));
        traffic.time.advance(1);
        assertEquals(3, traffic.take(9)); // at 10
        traffic.time.advance(25); // at 35: two batches have arrived, the capacity is 4
        assertEquals(4, traffic.take(9));
        assertEquals(5, traffic.waitFor(1)); // at 40
    }

    /** 1 token every 10 ns: a full bucket that is touched at 15 has the next at 20, not at 30. */
    @Test
    void anIntervalBucketOfOne() {
        Traffic traffic = new Traffic(new TokenBucket(1, Duration.ofNanos(10), 1, 1, Refill.INTERVAL));
        traffic.time.advance(15);
        assertEquals(1, traffic.take(9));
        assertEquals(5, traffic.waitFor(1));
    }

    @Test
    void R3_argumentsAreCheckedByName() {
        Duration second = Duration.ofSeconds(1);
        for (long bad : new long[] {0, -1, Long.MIN_VALUE, Check.MAX_PERMITS + 1, Long.MAX_VALUE}) {
            assertRefused("permits", () -> TokenBucket.of(bad, second));
            assertRefused("capacity", () -> TokenBucket.of(1, second).withCapacity(bad));
        }
        for (long bad : new long[] {-1, 11, Long.MIN_VALUE}) {
            assertRefused("initial", () -> new TokenBucket(1, second, 10, bad, Refill.GREEDY));
        }
        for (Duration bad : new Duration[] {
            Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE)
        }) {
            assertRefused("period", () -> TokenBucket.of(1, bad));
        }
    }

    static void assertRefused(String name, org.junit.jupiter.api.function.Executable work) {
        String told = "" + assertThrows(IllegalArgumentException.class, work).getMessage();
        assertTrue(told.startsWith(name + " must be >= "), told);
    }
}
