package dev.weir.samples;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.redis.Redis;
import dev.weir.redis.RedisLimiters;
import dev.weir.store.StoreRateLimiterBuilder;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.Ban;
import dev.weir.testservers.RedisServer;
import java.time.Duration;

/*
 * Login protection: five tries, then the account is banned on all servers for ten minutes. The tries alternate between two servers,
 * which share a Redis that the sample starts. If Redis is away nobody may log in: that is what this service prefers.
 *
 * Expected output:
 *
 *     try 1 for ann on server A: checked
 *     try 2 for ann on server B: checked
 *     try 3 for ann on server A: checked
 *     try 4 for ann on server B: checked
 *     try 5 for ann on server A: checked
 *     try 6 for ann on server B: refused, again in 10 minutes
 *     try 7 for ann on server A: refused, again in 10 minutes
 *     try 1 for bob on server B: checked
 */
public final class S20_LoginProtection {
    private static final Ban LIMIT =
            new Ban(LeakyBucket.of(1, Duration.ofMinutes(2)).withBurst(4), Duration.ofMinutes(10));

    private S20_LoginProtection() {}

    public static void main(String[] args) throws InterruptedException {
        try (RedisServer server = RedisServer.inMemory();
                Redis redisOfA = Redis.connect(server.uri());
                Redis redisOfB = Redis.connect(server.uri())) {
            // #region login
            AsyncLimiter a =
                    RedisLimiters.of("login", LIMIT, redisOfA, WhenAway.closed(), S20_LoginProtection::patient);
            // #endregion login
            AsyncLimiter b =
                    RedisLimiters.of("login", LIMIT, redisOfB, WhenAway.closed(), S20_LoginProtection::patient);
            for (int attempt = 1; attempt <= 7; attempt++) {
                boolean onA = attempt % 2 == 1;
                logIn(attempt, "ann", onA ? "A" : "B", onA ? a : b);
            }
            logIn(1, "bob", "B", b);
        }
    }

    /** A login may wait longer for Redis than the default, 100 ms. */
    private static void patient(StoreRateLimiterBuilder options) {
        options.timeout(Duration.ofSeconds(10));
    }

    private static void logIn(int attempt, String account, String server, AsyncLimiter limiter)
            throws InterruptedException {
        Decision decision = limiter.acquire(Request.forKey(account), Duration.ZERO);
        String answer = decision instanceof Rejection refused
                ? "refused, again in " + Math.round(refused.retryAfterNanos() / 60e9) + " minutes"
                : "checked";
        System.out.printf("try %d for %s on server %s: %s%n", attempt, account, server, answer);
    }
}
