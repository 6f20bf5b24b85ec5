package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is settled of a key whose rate was made after the grant was asked for: its first grant, and one from before it was evicted. */
class SettledKeysTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();

    private static List<StrategySpec> rates() {
        return List.of(TokenBucket.of(100, MINUTE), Gcra.of(100, MINUTE), FixedWindow.of(100, MINUTE));
    }

    private static Permit granted(ManagedLimiter limiter, Object key, long cost) {
        return assertInstanceOf(
                Permit.class, limiter.tryAcquire(Request.forKey(key).settled(cost)));
    }

    private static long left(ManagedLimiter limiter) {
        long left = 0;
        while (limiter.tryAcquire(Request.forKey("a").settled(1)) instanceof Permit) {
            left++;
        }
        return left;
    }

    /** As a ticker of a system, this one goes on between two readings. */
    @ParameterizedTest
    @MethodSource("rates")
    void theFirstGrantOfAKeyIsSettled(StrategySpec rate) {
        Ticker ticker = () -> {
            time.advance(1);
            return time.read();
        };
        ManagedLimiter limiter = Limiters.builder("keys", Keyed.of(Settled.of(rate), 10))
                .ticker(ticker)
                .build();
        Permit permit = granted(limiter, "a", 100);
        assertTrue(permit.settle(10));
        assertEquals(90, left(limiter));
    }

    /** All of the first grant has refilled before the second, so nothing of it can be returned after that. */
    @ParameterizedTest
    @MethodSource("rates")
    void aGrantFromBeforeAnEvictionReturnsNoMoreThanWithoutIt(StrategySpec rate) {
        ManagedLimiter limiter = Limiters.builder("keys", Keyed.of(Settled.of(rate), 1))
                .ticker(time)
                .build();
        Permit before = granted(limiter, "a", 100);
        time.advance(MINUTE);
        granted(limiter, "a", 100);
        for (int other = 0; other < 50; other++) {
            granted(limiter, other, 1);
        }
        time.advance(1);
        assertTrue(before.settle(0));
        assertEquals(0, left(limiter));
    }
}
