package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.SlidingWindow;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** L16: the sliding window of blocks in a hash as it was published, and ours in the same scenario. */
@Needs(Server.REDIS)
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

    private static Ours ours(int blocks) {
        return Ours.of(REDIS, SlidingWindow.of(LIMIT, Duration.ofMillis(MINUTE)).withBlocks(blocks));
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
    void L16a_ourWindowNeverGrantsMorePermitsThanTheLimit() {
        assertEquals(-1, ours(10).answer(1_000, NOW * 1_000).get(4));
        assertTrue(ours(10).grants(1, NOW));
        assertEquals(-1, ours(10).answer(1_000, (NOW + MINUTE) * 1_000).get(4));
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
    void L16b_noMinuteOfOurWindowHasMoreThanTheLimit() {
        int half = MINUTE / 2;
        assertTrue(ours(2).grants(LIMIT - 1, NOW + half - 1));
        assertTrue(ours(2).grants(1, NOW + half));
        assertFalse(ours(2).grants(1, NOW + half - 1 + MINUTE - 1));
        assertTrue(ours(2).grants(LIMIT - 1, NOW + half + MINUTE));
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
    void L16c_ourBlocksAreThoseOfTheServersClock() {
        assertEquals(LIMIT, ours(10).granted(1_000, NOW));
        assertEquals(0, ours(10).granted(1_000, NOW + MINUTE - 6_000));
        assertEquals(0, ours(10).granted(1_000, NOW));
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
    void L16d_aRefusedRequestOfOursReadsTheKeyOnceAndWritesNothing() {
        assertTrue(ours(60).grants(LIMIT, NOW));
        REDIS.commands().configResetstat();
        for (int i = 0; i < 10; i++) {
            assertFalse(ours(60).grants(1, NOW + MINUTE - 1_000));
        }
        assertTrue(calls("hget") + calls("hgetall") <= 30);
        assertEquals(0, calls("hset") + calls("hdel") + calls("hincrby") + calls("pexpire"));
    }

    @Test
    void L16e_brokenTwin_aClockThatGoesBackAMillisecondForgetsABlock() {
        assertTrue(grantsOf(window, NOW + 5_999, 6_000, LIMIT - 1));
        assertTrue(grantsOf(window, NOW + 6_000, 6_000, 1));
        assertFalse(grantsOf(window, NOW + 6_000, 6_000, 1));
        assertTrue(grantsOf(window, NOW + 5_999, 6_000, LIMIT - 1));
    }

    @Test
    void L16e_ourWindowForgetsNothingWhenTheClockGoesBack() {
        assertTrue(ours(10).grants(LIMIT - 1, NOW + 5_999));
        assertTrue(ours(10).grants(1, NOW + 6_000));
        assertFalse(ours(10).grants(1, NOW + 5_999));
        assertFalse(ours(10).grants(1, NOW - 3_600_000));
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
    void L16f_ourKeyLivesUntilItsLastBlockIsDue() {
        List<Long> answer = ours(10).answer(LIMIT, NOW * 1_000);
        assertTrue(REDIS.commands().pttl("k") * 1_000 > MINUTE * 1_000L + 1_000_000, "a minute and most of a block");
        assertTrue(answer.get(3) > MINUTE * 1_000L);
        REDIS.commands().flushall();
        assertTrue(Ours.of(
                        REDIS,
                        SlidingWindow.of(LIMIT, Duration.ofNanos(1_000_500_001)).withBlocks(7))
                .grants(1, NOW));
        assertTrue(REDIS.commands().pttl("k") > 0);
    }

    @Test
    void L16g_brokenTwin_blocksAreLeftAfterAPauseAndCountForEver() {
        assertTrue(grantsOf(window, NOW, 6_000, LIMIT));
        assertEquals(1, grants(window, NOW + MINUTE, MINUTE, 6_000));
        assertEquals("11", REDIS.commands().hget("k", "cnt"));
    }

    @Test
    void L16g_ourWindowIsUnusedAfterAPause() {
        assertTrue(ours(10).grants(LIMIT, NOW));
        assertEquals(LIMIT, ours(10).granted(100, NOW + 2 * MINUTE));
        assertEquals(LIMIT, ours(10).granted(100, NOW + 4 * MINUTE));
    }

    @Test
    void L16h_brokenTwin_anotherPrecisionForgetsWhatWasGranted() {
        assertTrue(grantsOf(window, NOW + 6_000, 6_000, LIMIT - 1));
        assertTrue(grantsOf(window, NOW + 12_000, 6_000, 1));
        assertFalse(grantsOf(window, NOW + 15_000, 6_000, 1));
        assertTrue(grantsOf(window, NOW + 15_000, 15_000, LIMIT - 1));
    }

    @Test
    void L16h_ourWindowKeepsWhatWasGrantedWhenThePrecisionChanges() {
        assertTrue(ours(10).grants(LIMIT - 1, NOW + 6_000));
        assertTrue(ours(10).grants(1, NOW + 12_000));
        assertFalse(ours(4).grants(LIMIT - 1, NOW + 15_000));
        assertFalse(ours(10).grants(LIMIT - 1, NOW + 16_000));
    }

    @Test
    void L16i_brokenTwin_theNumberOfBlocksHasNoBound() {
        for (int i = 0; i < 2_000; i++) {
            assertFalse(window.isTrue("k", NOW + i, MINUTE, MINUTE, 1, 1));
        }
        Map<String, String> fields = REDIS.commands().hgetall("k");
        assertEquals(2_002, fields.size());
    }

    @Test
    void L16i_ourWindowHasOneBlockMoreThanItsPrecision() {
        Ours ours =
                Ours.of(REDIS, SlidingWindow.of(MINUTE, Duration.ofMinutes(1)).withBlocks(60));
        for (int i = 0; i < 2_000; i++) {
            assertTrue(ours.grants(1, NOW + i * 100));
        }
        assertTrue(
                REDIS.commands().hlen("k") <= 62,
                () -> "fields: " + REDIS.commands().hlen("k"));
    }
}
