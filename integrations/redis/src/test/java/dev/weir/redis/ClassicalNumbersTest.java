package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of numbers in scripts as they are found in the field, and in ours. */
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
    void L4b_brokenTwin_aReplyIsCutToAnInteger() {
        assertEquals(0, number("return 0.9"));
        assertEquals(0, number("return -0.9"));
    }

    @Test
    void L4b_brokenTwin_numbersAboveTwoToTheFiftyThreeCollapse() {
        assertEquals(1L << 53, number("return tonumber(ARGV[1])", Long.toString((1L << 53) + 1)));
    }

    @Test
    void L4b_brokenTwin_tonumberTakesMoreThanNumbers() {
        for (String junk : new String[] {"NaN", "Infinity", "0x10", "1e400", " 7 "}) {
            assertEquals(1, number("return tonumber(ARGV[1]) and 1 or 0", junk), junk);
        }
    }
}
