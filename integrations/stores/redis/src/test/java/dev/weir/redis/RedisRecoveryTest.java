package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that goes on after permits of a hundred thousand keys were granted without it. */
@Tag("real-time")
@Needs(Server.REDIS)
class RedisRecoveryTest {
    private static final int KEYS = Stress.of(100_000, 100_000, 300_000);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static Decision ask(StoreRateLimiter limiter, int key) throws InterruptedException {
        return limiter.acquire(new Request(1, 0, "key " + key, Request.NO_DEADLINE), Duration.ZERO);
    }

    @Test
    void D7_allIsCountedWhileTheServerDecides() throws Exception {
        TokenBucket limit = TokenBucket.of(10, Duration.ofHours(1)).withCapacity(10);
        try (Redis redis = Redis.connect(REDIS.server().uri());
                StoreRateLimiter limiter = RedisLimiters.of(
                        "recovery",
                        limit,
                        redis,
                        WhenAway.local(2),
                        options -> options.timeout(TIMEOUT).failuresUntilAway(1))) {
            REDIS.server().pause();
            for (int key = 0; key < KEYS; key++) {
                assertInstanceOf(Permit.class, ask(limiter, key));
            }
            assertFalse(limiter.status().up());
            REDIS.server().resume();
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> limiter.status().up());
            long local = limiter.status().localDecisions();
            long asked = 0;
            while (REDIS.commands().dbsize() < KEYS) {
                Decision decision = ask(limiter, (int) (asked++ * 7919 % KEYS));
                assertNotNull(decision);
            }
            assertEquals(local, limiter.status().localDecisions(), "decided without Redis when it was back");
            assertEquals(0, limiter.status().uncountedPermits());
            System.out.printf(">>> recovery: %,d keys counted, %,d requests meanwhile%n", KEYS, asked);
        }
    }
}
