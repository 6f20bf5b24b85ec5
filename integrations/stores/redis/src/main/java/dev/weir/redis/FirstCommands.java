package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeaseTerms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The first commands of a connection, before any decision is asked for: they load the scripts into the servers, and the classes of the
 * path of a decision into this process. Each asks for no permits, so none leaves a key behind.
 */
final class FirstCommands {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket BUCKET = TokenBucket.of(1, SECOND);
    private static final Duration LONGEST = Duration.ofMillis(300);
    private static final int KEYS = 16;
    private static final int DECISIONS = 200;
    private static final int AT_ONCE = 64;

    private FirstCommands() {}

    /** Returns after {@code most} at the latest, and throws nothing: what fails is tried again by the decisions that follow. */
    static void of(Redis redis, Duration most) {
        long end = Ticker.system().read() + most.toNanos();
        StoreLimit limit = new RedisLimit(redis, KeyName.of("warm", "up"), RedisRate.of(BUCKET));
        try {
            for (int key = 0; key < KEYS; key++) {
                long left = Math.max(0, end - Ticker.system().read());
                scripts(redis, limit, key).get(left, TimeUnit.NANOSECONDS);
            }
            decisions(limit, Math.min(LONGEST.toNanos(), end - Ticker.system().read()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            return;
        }
    }

    /* Each key has a slot of its own, so that each master gets some. */
    private static CompletableFuture<Void> scripts(Redis redis, StoreLimit limit, int key) {
        byte[] name = ("{weir:warm:semaphore:" + key + "}").getBytes(US_ASCII);
        List<byte[]> nothing = SemaphoreScript.leases(SemaphoreScript.RELEASE, List.of(), new LeaseTerms(1, 1), "0");
        return CompletableFuture.allOf(
                limit.acquireUpTo(key, 0).toCompletableFuture(),
                redis.servers().run(Script.semaphore(), name, nothing).toCompletableFuture());
    }

    /** One after the other and together, as limiters ask. */
    private static void decisions(StoreLimit limit, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            return;
        }
        long begun = Ticker.system().read();
        Nothing nothing = new Nothing(limit);
        try (StoreRateLimiter limiter = StoreRateLimiter.builder("warm-up", BUCKET, spec -> nothing, WhenAway.closed())
                .timeout(Duration.ofNanos(nanos))
                .build()) {
            for (int i = 0; i < DECISIONS && Ticker.system().read() - begun < nanos / 2; i++) {
                limiter.acquire(Request.forKey(i % KEYS), Duration.ZERO);
            }
            List<CompletableFuture<?>> together = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                together.add(limiter.acquireAsync(Request.forKey(0), SECOND));
            }
            CompletableFuture.allOf(together.toArray(CompletableFuture[]::new)).join();
        }
    }

    /** A limit that asks the server for nothing, and grants all. */
    private record Nothing(StoreLimit limit) implements StoreLimit {
        @Override
        public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
            return acquireUpTo(key, permits);
        }

        @Override
        public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
            return limit.acquireUpTo(key, 0)
                    .thenApply(reply -> new Reply(permits, permits, permits, reply.resetNanos(), 0));
        }

        @Override
        public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
            return acquireUpTo(key, permits);
        }

        @Override
        public CompletionStage<?> ping() {
            return limit.ping();
        }
    }
}
