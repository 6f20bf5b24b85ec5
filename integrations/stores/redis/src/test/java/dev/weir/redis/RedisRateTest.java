package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.rates.Ban;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class RedisRateTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void aLimitByCostIsCountedByTheRuleOfItsRate() {
        StrategySpec bucket = TokenBucket.of(100, SECOND).withCapacity(20);
        StrategySpec window = SlidingWindow.of(20, SECOND);
        for (StrategySpec rate : List.of(bucket, window)) {
            assertArrayEquals(rule(rate), rule(Settled.of(rate)));
            assertFalse(RedisRate.of(rate).rate().countsCost());
            assertTrue(RedisRate.of(Keyed.of(Settled.of(rate), 100)).rate().countsCost());
            int charge = rate == bucket ? Script.CHARGE : Script.OVERDRAW;
            assertEquals(charge, operation(rate, Operation.CHARGE, 1));
            assertEquals(Script.CHARGE, operation(rate, Operation.CHARGE, -1));
            assertEquals(Script.ACQUIRE, operation(Settled.of(rate), Operation.ACQUIRE, 21));
            assertEquals(Script.ACQUIRE, operation(Settled.of(rate).once(), Operation.ACQUIRE, 20));
            assertEquals(Script.ACQUIRE_ONCE, operation(Settled.of(rate).once(), Operation.ACQUIRE, 21));
        }
        assertEquals(Script.CHARGE, operation(Settled.of(bucket), Operation.CHARGE, 1));
        assertEquals(Script.CHARGE, operation(Settled.of(bucket), Operation.REFUND, 1));
        assertEquals(Script.OVERDRAW, operation(Settled.of(window), Operation.CHARGE, 1));
        assertEquals(Script.OVERDRAW, operation(Settled.of(window), Operation.REFUND, 1));
    }

    private static byte[] rule(StrategySpec spec) {
        return RedisRate.of(spec).rule();
    }

    private static int operation(StrategySpec spec, Operation operation, long permits) {
        return RedisRate.of(spec).call(new byte[0], operation, permits, 0).operation();
    }

    @Test
    void aRuleIsTheHeadOfItsStatesAndOfABanAlsoTheLimit() {
        StrategySpec bucket = TokenBucket.of(100, SECOND);
        assertArrayEquals(StateRates.of(bucket).head(), rule(bucket));
        StrategySpec ban = new Ban(LeakyBucket.of(7, SECOND), SECOND);
        ByteBuffer rule = ByteBuffer.wrap(rule(ban));
        byte[] head = new byte[StateRates.of(ban).head().length];
        rule.get(head);
        assertArrayEquals(StateRates.of(ban).head(), head);
        assertEquals(7, rule.getDouble());
        assertFalse(rule.hasRemaining());
    }

    @Test
    void callsOfSeveralRatesShareTheirRules() {
        RedisRate bucket = RedisRate.of(TokenBucket.of(100, SECOND));
        RedisRate window = RedisRate.of(SlidingWindow.of(20, SECOND));
        byte[] key = {};
        List<byte[]> arguments = RateCall.arguments(List.of(
                bucket.call(key, Operation.ACQUIRE, 1, 0),
                window.call(key, Operation.ACQUIRE_UP_TO, 2, 0),
                bucket.call(key, Operation.CHARGE, -3, 0)));
        assertEquals(4, arguments.size());
        assertArrayEquals(bucket.rule(), arguments.get(1));
        assertArrayEquals(new byte[] {'0'}, arguments.get(2));
        assertArrayEquals(window.rule(), arguments.get(3));
        byte[] calls = ByteBuffer.allocate(3 * 18)
                .put(new byte[] {1, Script.ACQUIRE})
                .putDouble(1)
                .putDouble(0)
                .put(new byte[] {2, Script.ACQUIRE_UP_TO})
                .putDouble(2)
                .putDouble(0)
                .put(new byte[] {1, Script.CHARGE})
                .putDouble(-3)
                .putDouble(0)
                .array();
        assertArrayEquals(calls, arguments.get(0));
    }

    @Test
    void anAnswerIsInNanoseconds() {
        assertEquals(new Reply(1, 2, 3, 4_000, 0, 0, 9), reply(1, 2, 3, 4, 0, 9, 0));
        assertEquals(new Reply(0, 2, 3, 4_000, Reply.NEVER, 0, 9), reply(0, 2, 3, 4, -1, 9, 0));
        assertEquals(Long.MAX_VALUE, reply(0, 2, 3, 1L << 62, 1, 9, 0).resetNanos());
        assertEquals(9, RateAnswer.serverMicros(List.of(0L, 2L, 3L, 4L, 1L, 9L, 0L)));
        assertThrows(IllegalArgumentException.class, () -> RateAnswer.of(List.of(1L)));
    }

    private static Reply reply(long granted, long left, long limit, long reset, long retry, long now, long healed) {
        return RateAnswer.of(List.of(granted, left, limit, reset, retry, now, healed))
                .get();
    }

    @Test
    void aTextInPlaceOfAnAnswerIsAFailure() {
        RateAnswer failed = RateAnswer.of(List.of(new byte[] {'O', 'O', 'M'}, 0L, 0L, 0L, 0L, 0L, 0L));
        CompletionException thrown = assertThrows(CompletionException.class, failed::get);
        assertEquals("OOM", thrown.getCause().getMessage());
    }
}
