package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** L16: the sliding window of blocks in a hash as it was published, and ours in the same scenario. */
class ClassicalHashWindowTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    /** The start of a block for each precision here. */
    private static final long NOW = 1_755_840_000_000L;

    private static final int MINUTE = 60_000;
    private static final int LIMIT = 10;

    private final Classical window = Classical.of(REDIS, "hash_window");

    /** How many requests of one permit are granted of 100. */
    private static int grants(Classical script, long now, int duration, int precision) {
        int granted = 0;
        for (int i = 0; i < 100; i++) {
            granted += script.isTrue("k", now, duration, LIMIT, precision, 1) ? 0 : 1;
        }
        return granted;
    }

    private static boolean grantsOf(Classical script, long now, int precision, long permits) {
        return !script.isTrue("k", now, MINUTE, LIMIT, precision, permits);
    }

    @Test
    void L16a_brokenTwin_afterAPauseAnyNumberOfPermitsIsGranted() {
        assertTrue(grantsOf(window, NOW, 6_000, 1_000));
        assertFalse(grantsOf(window, NOW, 6_000, 1));
        assertTrue(grantsOf(window, NOW + MINUTE, 6_000, 1_000));
    }

    @Test
    void L16b_brokenTwin_aWindowGetsNearlyTwiceTheLimit() {
        int half = MINUTE / 2;
        assertTrue(grantsOf(window, NOW + half - 1, half, LIMIT - 1));
        assertTrue(grantsOf(window, NOW + half, half, 1));
        assertFalse(grantsOf(window, NOW + half, half, 1));
        assertTrue(grantsOf(window, NOW + MINUTE, half, LIMIT - 1));
    }

    @Test
    void L16c_brokenTwin_nodesWithDifferentClocksClearEachOthersBlocks() {
        int granted = 0;
        for (int i = 0; i < 2_000; i++) {
            long skew = i % 2 == 0 ? 0 : MINUTE - 6_000;
            granted += grantsOf(window, NOW + skew, 6_000, 1) ? 1 : 0;
        }
        assertEquals(2_000, granted);
    }

    @Test
    void L16d_brokenTwin_eachRefusedRequestReadsAllBlocksAgain() {
        int precision = MINUTE / 1_000;
        assertTrue(grantsOf(window, NOW, precision, LIMIT));
        REDIS.commands().configResetstat();
        for (int i = 0; i < 10; i++) {
            assertFalse(grantsOf(window, NOW + MINUTE - precision, precision, 1));
        }
        assertTrue(calls("hget") > 9_000, () -> "HGET: " + calls("hget"));
    }

    private static long calls(String command) {
        String line = REDIS.commands()
                .info("commandstats")
                .lines()
                .filter(l -> l.startsWith("cmdstat_" + command + ":"))
                .findFirst()
                .orElse("calls=0,");
        return Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(',')));
    }

    @Test
    void L16e_brokenTwin_aClockThatGoesBackAMillisecondForgetsABlock() {
        assertTrue(grantsOf(window, NOW + 5_999, 6_000, LIMIT - 1));
        assertTrue(grantsOf(window, NOW + 6_000, 6_000, 1));
        assertFalse(grantsOf(window, NOW + 6_000, 6_000, 1));
        assertTrue(grantsOf(window, NOW + 5_999, 6_000, LIMIT - 1));
    }

    @Test
    void L16f_brokenTwin_theKeyExpiresBeforeItsLastBlockIsDue() {
        Classical whole = window.with("math.ceil(duration / precision)", "math.ceil(duration / precision) + 1")
                .with("elapsed >= duration", "elapsed >= blocks * precision");
        assertTrue(grantsOf(whole, NOW, 6_000, LIMIT));
        assertFalse(grantsOf(whole, NOW + MINUTE, 6_000, 1));
        REDIS.pass("k", MINUTE);
        assertTrue(grantsOf(whole, NOW + MINUTE, 6_000, LIMIT));
    }

    @Test
    void L16f_brokenTwin_aDurationWithAFractionLeavesAKeyForEver() {
        assertTrue(isErrorWithoutTimeToLive(window));
    }

    private static boolean isErrorWithoutTimeToLive(Classical script) {
        try {
            script.isTrue("k", NOW, "1000.5", LIMIT, 100, 1);
            return false;
        } catch (RuntimeException e) {
            return REDIS.commands().pttl("k") == -1;
        }
    }

    @Test
    void L16g_brokenTwin_blocksAreLeftAfterAPauseAndCountForEver() {
        assertTrue(grantsOf(window, NOW, 6_000, LIMIT));
        assertEquals(1, grants(window, NOW + MINUTE, MINUTE, 6_000));
        assertEquals("11", REDIS.commands().hget("k", "cnt"));
    }

    @Test
    void L16h_brokenTwin_anotherPrecisionForgetsWhatWasGranted() {
        assertTrue(grantsOf(window, NOW + 6_000, 6_000, LIMIT - 1));
        assertTrue(grantsOf(window, NOW + 12_000, 6_000, 1));
        assertFalse(grantsOf(window, NOW + 15_000, 6_000, 1));
        assertTrue(grantsOf(window, NOW + 15_000, 15_000, LIMIT - 1));
    }

    @Test
    void L16i_brokenTwin_theNumberOfBlocksHasNoBound() {
        for (int i = 0; i < 2_000; i++) {
            assertFalse(window.isTrue("k", NOW + i, MINUTE, MINUTE, 1, 1));
        }
        Map<String, String> fields = REDIS.commands().hgetall("k");
        assertEquals(2_002, fields.size());
    }
}
