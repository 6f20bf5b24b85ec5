package dev.weir.redis;

import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.Mode;
import dev.weir.store.StoreLimiter;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@Needs(Server.REDIS)
class RedisLimiterTest extends RedisLimiterContract {
    private static final TokenBucket TEN = TokenBucket.of(10, Duration.ofHours(1));

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.inMemory();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected String uri() {
        return server.uri();
    }

    @Test
    void aWrongArgumentIsRefused() {
        try (Redis redis = Redis.connect(uri());
                StoreRateLimiter limiter = RedisLimiters.of("wrong", TEN, redis, WhenAway.open())) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> limiter.acquire(Request.forKey(new ArrayList<>(List.of(1))), Duration.ZERO));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> limiter.acquireAsync(Request.forKey(new Object()), Duration.ZERO));
            assertThrows(IllegalArgumentException.class, () -> limiter.reconfigure(new Semaphore(1)));
            assertEquals(TEN, limiter.spec());
            assertEquals("StoreRateLimiter[wrong, " + TEN + "]", limiter.toString());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> RedisLimiters.of("a", new Semaphore(1), redis, WhenAway.open()));
            assertThrows(IllegalArgumentException.class, () -> RedisLimiters.of(" ", TEN, redis, WhenAway.open()));
        }
    }

    @Test
    void D6_D7_whileRedisIsAwayTheChoiceOfTheCallerDecides() throws Exception {
        RedisServer away = RedisServer.inMemory();
        try (Redis redis = Redis.connect(away.uri())) {
            RedisStore limits = new RedisStore(redis);
            StoreLimiter open = limits.limiter("open", TEN, Mode.exact(), WhenAway.open());
            StoreLimiter closed = limits.limiter("closed", TEN, Mode.exact(), WhenAway.closed());
            StoreLimiter local = limits.limiter("local", TEN, Mode.exact(), WhenAway.local(2));
            assertEquals("open", open.name());
            for (StoreLimiter limiter : List.of(open, closed, local)) {
                soon().until(() -> limiter.acquire(Request.ONE, Duration.ZERO) instanceof Permit);
            }
            away.kill();
            assertEquals(20, granted(open, 20));
            assertEquals(0, granted(closed, 20));
            assertEquals(4, granted(local, 20));
            away.start();
            soon().until(() -> closed.acquire(Request.ONE, Duration.ZERO) instanceof Rejection
                    && closed instanceof StoreRateLimiter limiter
                    && limiter.status().up());
            local.close();
            assertInstanceOf(Rejection.class, local.acquire(Request.ONE, Duration.ZERO));
        } finally {
            away.close();
        }
    }

    @Test
    void D6_whatAHaltedServerDoesLateIsBoundedAndReturned() throws Exception {
        RedisServer halted = RedisServer.inMemory();
        try (Redis redis = Redis.connect(halted.uri());
                StoreRateLimiter limiter = RedisLimiters.of(
                        "halted",
                        TokenBucket.of(1_000_000, Duration.ofDays(365)),
                        redis,
                        WhenAway.closed(),
                        options -> options.timeout(Duration.ofSeconds(1))
                                .maxInFlight(50)
                                .failuresUntilAway(1_000_000))) {
            soon().until(() -> limiter.acquire(Request.ONE, Duration.ZERO) instanceof Permit);
            halted.pause();
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                asked.add(limiter.acquireAsync(Request.of(10_000), Duration.ZERO));
                assertTrue(limiter.status().inFlight() <= 50);
            }
            for (CompletableFuture<Decision> decision : asked) {
                assertInstanceOf(Rejection.class, decision.get(20, TimeUnit.SECONDS));
            }
            halted.resume();
            soon().until(() -> remaining(limiter) + limiter.status().inDoubtPermits() >= 1_000_000 - 2_000);
        } finally {
            halted.close();
        }
    }

    /** -1 if that is not known now. */
    private static long remaining(StoreRateLimiter limiter) throws InterruptedException {
        Decision decision = limiter.acquire(Request.ONE, Duration.ZERO);
        Permit.Quota left = decision instanceof Permit permit ? permit.quota() : null;
        return left == null ? -1 : left.remaining();
    }

    private static long granted(StoreLimiter limiter, int requests) throws InterruptedException {
        long granted = 0;
        for (int i = 0; i < requests; i++) {
            granted += limiter.acquire(Request.ONE, Duration.ZERO) instanceof Permit ? 1 : 0;
        }
        assertTrue(granted <= requests);
        return granted;
    }
}
