package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Counters, lists and logs as they are found in the field, and ours in the same scenario. */
@Needs(Server.REDIS)
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
    void L10_ourWindowOfHalfASecondHasALimit() {
        Ours ours = Ours.of(REDIS, FixedWindow.of(1, Duration.ofMillis(500))).kept();
        assertTrue(ours.grants(1, NOW));
        assertTrue(REDIS.commands().pttl("k") > 0);
        assertEquals(0, ours.granted(4, NOW + 499));
        assertEquals(1, ours.granted(4, NOW + 500));
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
    void L11_ourCounterThatLostItsTimeToLiveGetsAnother() {
        Ours ours = Ours.of(REDIS, FixedWindow.of(10, Duration.ofSeconds(10)));
        assertEquals(10, ours.granted(20, NOW));
        REDIS.commands().persist("k");
        assertEquals(10, ours.granted(20, NOW + 10_000));
        assertTrue(REDIS.commands().pttl("k") > 0);
    }

    @Test
    void L12_brokenTwin_aClientThatEndsBetweenTwoCommandsLeavesAKeyForEver() {
        REDIS.commands().incr("k");
        assertEquals(-1, REDIS.commands().pttl("k"));
    }

    @Test
    void L12_ourScriptCountsAndSetsTheTimeToLiveOrNeither() {
        Ours ours = Ours.of(REDIS, FixedWindow.of(10, Duration.ofSeconds(10)));
        for (int i = 0; i < 20; i++) {
            ours.answer(1, NOW * 1_000);
            assertTrue(REDIS.commands().pttl("k") > 0);
        }
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
    void L13_ourWindowEndsUnderSteadyTraffic() {
        Ours ours = Ours.of(REDIS, FixedWindow.of(5, Duration.ofSeconds(5)));
        int granted = 0;
        for (int second = 0; second < 60; second++) {
            granted += ours.granted(1, NOW + second * 1_000L);
            REDIS.pass("k", 1_000);
        }
        assertEquals(60, granted);
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
    void L14_ofOurClientsThatAskAtOnceOneIsGranted() {
        RedisClient client = RedisClient.create(REDIS.server().uri());
        try {
            List<RedisFuture<List<Long>>> answers = new ArrayList<>();
            RedisRate rate = RedisRate.of(new FirstHitQuota(1, Duration.ofMinutes(1)));
            for (int i = 0; i < 8; i++) {
                Ours ours = new Ours(client.connect().async(), rate);
                for (int call = 0; call < 8; call++) {
                    answers.add(ours.answerNow(1, 0));
                }
            }
            assertEquals(
                    1, answers.stream().mapToLong(a -> RealRedis.join(a).get(0)).sum());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
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
    void L14_ourQuotaGrantsTheLimitAndThenWaits() {
        Ours ours = Ours.of(REDIS, new FirstHitQuota(10, Duration.ofSeconds(10)));
        assertEquals(10, ours.granted(100, NOW));
        assertEquals(0, ours.granted(100, NOW + 9_999));
        assertEquals(10, ours.granted(100, NOW + 10_000));
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
    void L14_ourQuotaCountsTheFirstRequestAfterTheKeyHasExpired() {
        Ours ours = Ours.of(REDIS, new FirstHitQuota(1, Duration.ofSeconds(10)));
        assertTrue(ours.grants(1, NOW));
        REDIS.commands().del("k");
        assertEquals(1, ours.granted(10, NOW));
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
    void L15_ourLogCountsAllRequestsOfOneMicrosecond() {
        Ours ours = Ours.of(REDIS, SlidingLog.of(10, Duration.ofMinutes(1)));
        assertEquals(10, ours.granted(1_000, NOW));
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

    @Test
    void L15b_ourLogCountsGrantedRequestsOnly() {
        Ours ours = Ours.of(REDIS, SlidingLog.of(10, Duration.ofMinutes(1)));
        long granted = 0;
        for (int i = 0; i < 200; i++) {
            granted += ours.granted(1, NOW + i * 6_000 / 2);
        }
        assertEquals(100, granted);
    }
}
