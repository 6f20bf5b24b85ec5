package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.TokenBucket;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Leaky and token buckets as they are found in the field, and ours in the same scenario. */
@Needs(Server.REDIS)
class ClassicalBucketsTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final int CALLS = 2_000;
    private static final long NOW = 1_755_840_000_000L;
    private static final long HOUR = 3_600_000;

    private final Classical leaky = Classical.of(REDIS, "leaky_bucket");
    private final Classical tokens = Classical.of(REDIS, "token_bucket");

    /** How many of the calls are granted at 10/s with a burst of 10; each call by its number has the time of a node. */
    private long leakyGrants(IntUnaryOperator skewMillis) {
        long granted = 0;
        for (int i = 0; i < CALLS; i++) {
            granted += leaky.first(List.of("k"), 10_000, 10_000, NOW + skewMillis.applyAsInt(i), 0) == 1 ? 1 : 0;
        }
        return granted;
    }

    @Test
    void L1_brokenTwin_theLeakyBucketDrainsByTheDifferenceOfTheClocks() {
        assertEquals(11, leakyGrants(i -> 0));
        REDIS.commands().flushall();
        assertEquals(21, leakyGrants(i -> i % 2 * 50));
        REDIS.commands().flushall();
        assertEquals(CALLS, leakyGrants(i -> i % 2 * 200));
    }

    @Test
    void L1_ourBucketHasOneClockForAllNodes() {
        Ours ours = Ours.of(REDIS, LeakyBucket.of(10, Duration.ofMinutes(1)).withBurst(10));
        assertEquals(11, ours.granted(CALLS, NOW));
        assertEquals(10, ours.granted(CALLS, NOW + 60_000));
    }

    @Test
    void L6_brokenTwin_theLeakyBucketIsEmptyWhenTheClockGoesBack() {
        assertEquals(11, leakyGrants(i -> 0));
        assertEquals(11, leakyGrants(i -> (int) -HOUR));
        assertEquals(11, leakyGrants(i -> 0));
    }

    @Test
    void L6_ourBucketDoesNotDrainWhenTheServersClockGoesBack() {
        Ours ours = Ours.of(REDIS, LeakyBucket.of(10, Duration.ofMinutes(1)).withBurst(10));
        assertEquals(11, ours.granted(CALLS, NOW));
        assertEquals(0, ours.granted(CALLS, NOW - HOUR));
        assertEquals(0, ours.granted(CALLS, NOW - HOUR));
        assertEquals(10, ours.granted(CALLS, NOW - HOUR + 60_000));
    }

    @Test
    void L2_brokenTwin_aBanWithAFractionOfASecondIsForEver() {
        assertEquals(1, leaky.first(List.of("k"), 1_000, 0, NOW, "0.5"));
        assertThrows(RedisCommandExecutionException.class, () -> leaky.first(List.of("k"), 1_000, 0, NOW, "0.5"));
        assertEquals(-1, REDIS.commands().pttl("k"));
        assertEquals(3, leaky.first(List.of("k"), 1_000, 0, NOW + 24 * HOUR, "0.5"));
    }

    @Test
    void L2_ourBanOfAFractionOfASecondEnds() {
        Ours ours = Ours.of(REDIS, new Ban(LeakyBucket.of(1, Duration.ofSeconds(20)), Duration.ofMillis(40_500)));
        assertTrue(ours.grants(1, NOW));
        assertFalse(ours.grants(1, NOW));
        assertTrue(REDIS.commands().pttl("k") > 0);
        assertFalse(ours.grants(1, NOW + 40_499));
        assertTrue(ours.grants(1, NOW + 40_500));
    }

    @Test
    void L3_brokenTwin_theLeakyBucketIsForgottenBeforeItIsEmpty() {
        assertEquals(101, grantsOfOnePerMinute(NOW));
        REDIS.pass("k", 61_000);
        assertEquals(101, grantsOfOnePerMinute(NOW + 61_000));
    }

    private long grantsOfOnePerMinute(long now) {
        long granted = 0;
        for (int i = 0; i < 200; i++) {
            granted += leaky.first(List.of("k"), 1_000 / 60, 100_000, now, 0) == 1 ? 1 : 0;
        }
        return granted;
    }

    @Test
    void L3_ourBucketIsKeptUntilItIsEmpty() {
        Ours ours = Ours.of(REDIS, LeakyBucket.of(1, Duration.ofMinutes(1)).withBurst(100));
        assertEquals(101, ours.granted(200, NOW));
        REDIS.pass("k", 61_000);
        assertEquals(1, ours.granted(200, NOW + 61_000));
    }

    @Test
    void L7_brokenTwin_theTokenBucketIsFilledAgainByEachNodeThatIsASecondAhead() {
        long granted = 0;
        for (int i = 0; i < CALLS; i++) {
            granted += tokens.first(List.of("t", "s"), 10, 10, NOW / 1_000 + i % 2, 1);
        }
        assertEquals(CALLS, granted);
    }

    @Test
    void L7_ourBucketIsFilledByTheServersTimeOnly() {
        Ours ours = Ours.of(REDIS, TokenBucket.of(10, Duration.ofMinutes(1)));
        assertEquals(10, ours.granted(CALLS, NOW));
        assertEquals(10, ours.granted(CALLS, NOW + 60_000));
        assertEquals(0, ours.granted(CALLS, NOW));
    }

    @Test
    void L8_brokenTwin_aTimeToLiveOfZeroIsAnErrorOnEachCall() {
        Classical unguarded = Classical.of(REDIS, "token_bucket_unguarded");
        Exception e = assertThrows(
                RedisCommandExecutionException.class,
                () -> unguarded.first(List.of("t", "s"), 100, 10, NOW / 1_000, 1));
        assertTrue(e.getMessage().contains("invalid expire time in"), e.getMessage());
    }

    @Test
    void L17_brokenTwin_withoutATimeToLiveNothingIsCounted() {
        long granted = 0;
        for (int i = 0; i < 1_000; i++) {
            granted += tokens.first(List.of("t", "s"), 100, 10, NOW / 1_000, 1);
        }
        assertEquals(1_000, granted);
        assertEquals(0, REDIS.commands().dbsize());
    }

    @Test
    void L8_L17_ourTimeToLiveIsAtLeastAMillisecond() {
        Ours ours = Ours.of(REDIS, TokenBucket.of(100, Duration.ofSeconds(1)).withCapacity(10));
        List<RedisFuture<List<Long>>> answers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            answers.add(ours.answerNow(1, 0));
        }
        List<List<Long>> all = answers.stream().map(RealRedis::join).toList();
        long micros = all.get(999).get(5) - all.get(0).get(5);
        long granted = all.stream().mapToLong(answer -> answer.get(0)).sum();
        assertTrue(granted <= 10 + micros / 10_000, () -> granted + " in " + micros + " us");
    }

    @Test
    void L8_L17_aBucketThatIsFullAgainInAMillisecondIsCountedForThatLong() {
        Ours ours = Ours.of(REDIS, TokenBucket.of(1_000, Duration.ofSeconds(1)).withCapacity(1));
        REDIS.commands().multi();
        RedisFuture<List<Long>> first = ours.answerNow(1, 0);
        RedisFuture<Long> left = REDIS.connection().async().pttl("k");
        RedisFuture<List<Long>> second = ours.answerNow(1, 0);
        REDIS.commands().exec();
        long micros = RealRedis.join(second).get(5) - RealRedis.join(first).get(5);
        assertEquals(1, RealRedis.join(first).get(0));
        assertTrue(micros >= 1_000 || RealRedis.join(left) >= 1);
        assertEquals(micros < 1_000 ? 0 : 1, RealRedis.join(second).get(0), () -> micros + " us later");
    }

    @Test
    void L9_brokenTwin_aRequestForLessThanNothingFillsTheBucket() {
        for (String requested : List.of("-10", "-inf", "-1e400")) {
            REDIS.commands().flushall();
            assertEquals(1, tokens.first(List.of("t", "s"), 10, 10, NOW / 1_000, 10));
            assertEquals(0, tokens.first(List.of("t", "s"), 10, 10, NOW / 1_000, 1));
            assertEquals(1, tokens.first(List.of("t", "s"), 10, 10, NOW / 1_000, requested), requested);
            assertEquals(1, tokens.first(List.of("t", "s"), 10, 10, NOW / 1_000, 10), requested);
        }
    }

    @Test
    void L9_ourScriptTakesIntegersOnly() {
        assertThrows(IllegalArgumentException.class, () -> Request.of(-10));
        Ours ours = Ours.of(REDIS, TokenBucket.of(10, Duration.ofSeconds(1)));
        String[] arguments = {"0", "1", "0", "1", "1", "1", "1", "0", "1"};
        for (String junk : List.of("nan", "-inf", "1e400", "0x10", "1.5", "", " 1")) {
            arguments[1] = junk;
            assertThrows(
                    RedisCommandExecutionException.class,
                    () -> REDIS.commands()
                            .eval(ours.rate().script().text(), ScriptOutputType.MULTI, new String[] {"k"}, arguments));
        }
        assertThrows(IllegalStateException.class, () -> ours.answer(-10, NOW * 1_000));
        assertEquals(0, REDIS.commands().dbsize());
    }
}
