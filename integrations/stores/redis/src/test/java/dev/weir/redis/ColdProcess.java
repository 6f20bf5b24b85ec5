package dev.weir.redis;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process that has just started: the first 200 requests at a server, all at once. Prints how many were {@code UNAVAILABLE}, and the milliseconds
 * until the client was there.
 */
final class ColdProcess {
    private static final int REQUESTS = 200;

    private ColdProcess() {}

    public static void main(String[] arguments) {
        long begun = Ticker.system().read();
        try (Redis redis = Redis.connect(arguments[0]);
                StoreRateLimiter limiter = RedisLimiters.of(
                        "cold", TokenBucket.of(1_000_000, Duration.ofSeconds(1)), redis, WhenAway.closed())) {
            long millis = TimeUnit.NANOSECONDS.toMillis(Ticker.system().read() - begun);
            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                decisions.add(limiter.acquireAsync(Request.forKey("k" + i % 20), Duration.ZERO));
            }
            long unavailable = decisions.stream()
                    .map(CompletableFuture::join)
                    .filter(decision ->
                            decision instanceof Rejection rejection && rejection.reason() == Reason.UNAVAILABLE)
                    .count();
            System.out.println(unavailable + " " + millis);
        }
    }
}
