package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Counters, lists and logs as they are found in the field, and ours in the same scenario. */
class ClassicalCountersTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final long NOW = 1_755_840_000_000L;

    private final Classical counter = Classical.of(REDIS, "counter");

    @Test
    void L10_brokenTwin_aWindowOfHalfASecondHasNoLimit() {
        for (int i = 0; i < 5; i++) {
            assertEquals(1, counter.number("k", 1, 500 / 1_000));
        }
    }

    @Test
    void L11_brokenTwin_aCounterThatLostItsTimeToLiveRefusesForEver() {
        counter.number("k", 1, 10);
        REDIS.commands().persist("k");
        for (int i = 2; i < 20; i++) {
            assertEquals(i, counter.number("k", 1, 10));
            assertEquals(-1, REDIS.commands().pttl("k"));
        }
    }

    @Test
    void L12_brokenTwin_aClientThatEndsBetweenTwoCommandsLeavesAKeyForEver() {
        REDIS.commands().incr("k");
        assertEquals(-1, REDIS.commands().pttl("k"));
    }

    @Test
    void L13_brokenTwin_aSteadyClientIsStarvedWhenEachRequestRefreshesTheTimeToLive() {
        Classical refreshed = Classical.of(REDIS, "counter_refreshed");
        int granted = 0;
        for (int second = 0; second < 60; second++) {
            granted += refreshed.number("k", 5_000) <= 5 ? 1 : 0;
            REDIS.pass("k", 1_000);
        }
        assertEquals(5, granted);
    }

    @Test
    void L14_brokenTwin_allClientsThatCheckBeforeTheFirstPushesAreGranted() {
        Classical push = Classical.of(REDIS, "list_push");
        List<Integer> granted = IntStream.range(0, 64)
                .filter(client -> REDIS.commands().llen("k") < 1)
                .boxed()
                .toList();
        granted.forEach(client -> push.number("k", NOW, 10_000));
        assertEquals(64, granted.size());
        assertEquals(64, REDIS.commands().llen("k"));
    }

    @Test
    void L14_brokenTwin_theCheckAsPublishedGrantsOneMoreThanTheLimit() {
        Classical push = Classical.of(REDIS, "list_push");
        int granted = 0;
        for (int i = 0; i < 100; i++) {
            if (REDIS.commands().llen("k") <= 10) {
                push.number("k", NOW, 10_000);
                granted++;
            }
        }
        assertEquals(11, granted);
    }

    @Test
    void L14_brokenTwin_aPushToAListThatHasJustExpiredIsLost() {
        REDIS.commands().rpush("k", "1");
        assertEquals(1, REDIS.commands().exists("k"));
        REDIS.commands().del("k");
        assertEquals(0, REDIS.commands().rpushx("k", "2"));
        assertEquals(0, REDIS.commands().llen("k"));
    }

    @Test
    void L15_brokenTwin_requestsOfOneMillisecondAreOneMember() {
        Classical log = Classical.of(REDIS, "zset_log");
        long granted = 0;
        for (int i = 0; i < 1_000; i++) {
            granted += log.number("k", NOW, 60_000, 10);
        }
        assertEquals(1_000, granted);
        assertEquals(1, REDIS.commands().zcard("k"));
    }

    @Test
    void L15b_brokenTwin_refusedRequestsCountInTheLog() {
        Classical log = Classical.of(REDIS, "zset_log_add_first");
        long granted = 0;
        for (int i = 0; i < 200; i++) {
            granted += log.number("k", NOW + i * 6_000 / 2, 60_000, 10, i);
        }
        assertEquals(10, granted);
        assertTrue(REDIS.commands().zcard("k") > 10);
    }
}
