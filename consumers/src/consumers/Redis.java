package consumers;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.distributed.WhenAway;
import dev.weir.redis.RedisLimiter;
import dev.weir.redis.RedisLimiters;
import dev.weir.redis.RedisSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;

/** A limit that Redis counts, and one that follows a key of Redis. */
public final class Redis {
    private Redis() {}

    public static void main(String[] args) throws Exception {
        String uri = System.getProperty("redis");
        try (dev.weir.redis.Redis redis = dev.weir.redis.Redis.connect(uri)) {
            RedisLimiter searches = RedisLimiters.of(
                    args[0], FixedWindow.of(2, Duration.ofHours(1)), redis, WhenAway.closed());
            Decision first = decision(searches);
            while (first instanceof Rejection refused && refused.reason() == Reason.UNAVAILABLE) {
                first = decision(searches);
            }
            Check.expect(true, first instanceof Permit);
            Check.expect(true, decision(searches) instanceof Permit);
            Check.expect(true, decision(searches) instanceof Rejection);
        }
        RedisClient client = RedisClient.create(uri);
        var connection = client.connect();
        Follows.document(
                document -> connection.sync().set(args[0], document),
                RedisSource.connect(RedisURI.create(uri), args[0]));
        client.shutdown();
    }

    private static Decision decision(RedisLimiter limiter) throws InterruptedException {
        return limiter.acquire(Request.forKey("ann"), Duration.ZERO);
    }
}
