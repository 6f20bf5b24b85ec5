package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RedisRateTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void aLimitByCostIsCountedByTheScriptOfItsRate() {
        StrategySpec bucket = TokenBucket.of(100, SECOND).withCapacity(20);
        StrategySpec window = SlidingWindow.of(20, SECOND);
        for (StrategySpec rate : List.of(bucket, window)) {
            assertEquals(parameters(rate), parameters(Settled.of(rate)));
            assertFalse(RedisRate.of(rate).countsCost());
            assertTrue(RedisRate.of(Keyed.of(Settled.of(rate), 100)).countsCost());
            assertEquals(Script.CHARGE, RedisRate.of(rate).charge());
            assertEquals(Script.ACQUIRE, RedisRate.of(Settled.of(rate)).acquire(21));
            assertEquals(Script.ACQUIRE, RedisRate.of(Settled.of(rate).once()).acquire(20));
            assertEquals(
                    Script.ACQUIRE_ONCE, RedisRate.of(Settled.of(rate).once()).acquire(21));
        }
        assertEquals(Script.CHARGE, RedisRate.of(Settled.of(bucket)).charge());
        assertEquals(Script.OVERDRAW, RedisRate.of(Settled.of(window)).charge());
    }

    @Test
    void anAnswerIsInNanoseconds() {
        assertEquals(new Reply(1, 2, 3, 4_000, 0, 0, 9), RedisRate.reply(List.of(1L, 2L, 3L, 4L, 0L, 9L, 0L)));
        assertEquals(
                new Reply(0, 2, 3, 4_000, Reply.NEVER, 0, 9), RedisRate.reply(List.of(0L, 2L, 3L, 4L, -1L, 9L, 0L)));
        assertEquals(
                Long.MAX_VALUE,
                RedisRate.reply(List.of(0L, 2L, 3L, 1L << 62, 1L, 9L, 0L)).resetNanos());
        assertEquals(9, RedisRate.serverMicros(List.of(0L, 2L, 3L, 4L, 1L, 9L, 0L)));
        assertThrows(IllegalArgumentException.class, () -> RedisRate.reply(List.of(1L)));
    }

    private static List<Long> parameters(StrategySpec spec) {
        byte[] rule = RedisRate.of(spec).arguments(Script.ACQUIRE, 1, 0).get(3);
        return Stream.of(new String(rule, StandardCharsets.US_ASCII).split(","))
                .map(Long::valueOf)
                .toList();
    }
}
