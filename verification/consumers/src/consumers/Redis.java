package consumers;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.redis.RedisLimiters;
import dev.weir.redis.RedisSource;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;

/** A limit that Redis counts, and one that follows a key of Redis. */
public final class Redis {
    private static final int LIMIT = 10;

    private Redis() {}

    public static void main(String[] args) throws Exception {
        String uri = System.getProperty("redis");
        try (dev.weir.redis.Redis redis = dev.weir.redis.Redis.connect(uri)) {
            StoreRateLimiter searches =
                    RedisLimiters.of(args[0], FixedWindow.of(LIMIT, Duration.ofHours(1)), redis, WhenAway.closed());
            Check.expect(true, grantedBeforeTheRate(searches) > 0);
        }
        RedisClient client = RedisClient.create(uri);
        var connection = client.connect();
        Follows.document(
                document -> connection.sync().set(args[0], document),
                RedisSource.connect(RedisURI.create(uri), args[0]));
        client.shutdown();
    }

    /* What is refused because Redis has not answered in time may be counted. */
    private static int grantedBeforeTheRate(StoreRateLimiter limiter) throws InterruptedException {
        int granted = 0;
        while (true) {
            Decision decision = limiter.acquire(Request.forKey("ann"), Duration.ZERO);
            if (decision instanceof Rejection refused && refused.reason() == Reason.RATE) {
                return granted;
            }
            granted += decision instanceof Permit ? 1 : 0;
            Check.expect(true, granted <= LIMIT);
        }
    }
}
