package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of numbers in scripts as they are found in the field, and in ours. */
@Needs(Server.REDIS)
class ClassicalNumbersTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final String MICROS = "1755840000123456";

    private static String text(String script, String... arguments) {
        return REDIS.commands().eval(script, ScriptOutputType.VALUE, new String[0], arguments);
    }

    private static long number(String script, String... arguments) {
        return REDIS.commands().<Long>eval(script, ScriptOutputType.INTEGER, new String[0], arguments);
    }

    @Test
    void L4_brokenTwin_microsecondsAreRoundedToFourteenDigits() {
        assertEquals("[1.7558400001235e+15]", text("return cjson.encode({tonumber(ARGV[1])})", MICROS));
        assertEquals("1.7558400001235e+15", text("return tostring(tonumber(ARGV[1]))", MICROS));
        assertEquals("1.7558400001235e+15", text("return '' .. tonumber(ARGV[1])", MICROS));
    }

    @Test
    void L4_ourScriptKeepsEachMicrosecond() {
        Ours ours = Ours.of(REDIS, TokenBucket.of(1, Duration.ofMinutes(1)));
        long now = Long.parseLong(MICROS);
        assertEquals(List.of(1L, 0L, 1L, 60_000_000L, 0L, now, 0L), ours.answer(1, now));
        for (int micros = 1; micros < 100; micros++) {
            assertEquals(60_000_000L - micros, ours.answer(1, now + micros).get(4));
        }
        assertEquals(0, ours.answer(1, now + 59_999_999).get(0));
        assertEquals(1, ours.answer(1, now + 60_000_000).get(0));
    }

    @Test
    void L4b_brokenTwin_aReplyIsCutToAnInteger() {
        assertEquals(0, number("return 0.9"));
        assertEquals(0, number("return -0.9"));
    }

    @Test
    void L4b_ourWaitIsRoundedUp() {
        Ours ours = Ours.of(
                REDIS, TokenBucket.of(3, Duration.ofNanos(10_000_000_000L)).withCapacity(1));
        long now = Long.parseLong(MICROS);
        assertEquals(1, ours.answer(1, now).get(0));
        assertEquals(3_333_334, ours.answer(1, now).get(4));
        assertEquals(1, ours.answer(1, now + 3_333_333).get(4));
        assertEquals(1, ours.answer(1, now + 3_333_334).get(0));
    }

    @Test
    void L4b_brokenTwin_numbersAboveTwoToTheFiftyThreeCollapse() {
        assertEquals(1L << 53, number("return tonumber(ARGV[1])", Long.toString((1L << 53) + 1)));
    }

    @Test
    void L4b_ourLimitsWhoseNumbersWouldCollapseAreRefusedWhenBuilt() {
        StrategySpec tooFine =
                TokenBucket.of(1_000_003, Duration.ofNanos((1L << 53) + 1)).withCapacity(1_000_003);
        Exception e = assertThrows(IllegalArgumentException.class, () -> RedisRate.of(tooFine));
        assertTrue(e.getMessage().contains("need more than 52 bits"), e.getMessage());
    }

    @Test
    void L4b_brokenTwin_tonumberTakesMoreThanNumbers() {
        for (String junk : new String[] {"NaN", "Infinity", "0x10", "1e400", " 7 "}) {
            assertEquals(1, number("return tonumber(ARGV[1]) and 1 or 0", junk), junk);
        }
    }
}
