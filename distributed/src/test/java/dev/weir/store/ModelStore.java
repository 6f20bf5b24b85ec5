package dev.weir.store;

import dev.weir.Ticker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store in this process: an exact token bucket for each key, over a ticker. What it does is counted. */
final class ModelStore {
    /** Permits that are missing, times the period, and the instant of that. */
    private static final class Bucket {
        private long missing;
        private long at;

        private Bucket(long at) {
            this.at = at;
        }
    }

    private final Ticker time;
    private final long permits;
    private final long period;
    private final long burst;
    private final Map<Object, Bucket> buckets = new HashMap<>();
    long taken;
    long charged;
    long refunded;

    /** Whether limiters are told that nothing refills, so that all that is cancelled comes back and can be counted. */
    volatile boolean refundsAll;

    /** Whether it counts by cost. */
    volatile boolean byCost;

    ModelStore(Ticker time, long permits, long period, long burst) {
        this.time = time;
        this.permits = permits;
        this.period = period;
        this.burst = burst;
    }

    /** What was counted and not refunded. */
    synchronized long counted() {
        return taken + charged - refunded;
    }

    synchronized Reply acquire(@Nullable Object key, long wanted) {
        Bucket bucket = bucket(key);
        long free = free(bucket);
        if (wanted > burst) {
            return reply(bucket, 0, Reply.NEVER);
        }
        if (wanted > free) {
            return reply(bucket, 0, untilFree(bucket, wanted));
        }
        bucket.missing += wanted * period;
        taken += wanted;
        return reply(bucket, wanted, 0);
    }

    synchronized Reply acquireUpTo(@Nullable Object key, long wanted) {
        Bucket bucket = bucket(key);
        long granted = Math.min(wanted, free(bucket));
        bucket.missing += granted * period;
        taken += granted;
        return reply(bucket, granted, granted == wanted ? 0 : untilFree(bucket, 1));
    }

    synchronized Reply charge(@Nullable Object key, long more) {
        Bucket bucket = bucket(key);
        bucket.missing = Math.max(0, bucket.missing + more * period);
        if (more > 0) {
            charged += more;
        } else {
            refunded -= more;
        }
        return reply(bucket, 0, 0);
    }

    private Bucket bucket(@Nullable Object key) {
        long now = time.read();
        Bucket bucket = buckets.computeIfAbsent(key == null ? this : key, absent -> new Bucket(now));
        bucket.missing = Math.max(0, bucket.missing - (now - bucket.at) * permits);
        bucket.at = now;
        return bucket;
    }

    private long free(Bucket bucket) {
        return Math.max(0, (burst * period - bucket.missing) / period);
    }

    private long untilFree(Bucket bucket, long wanted) {
        long tooMuch = bucket.missing + wanted * period - burst * period;
        return (tooMuch + permits - 1) / permits;
    }

    private Reply reply(Bucket bucket, long granted, long retryAfter) {
        return new Reply(granted, free(bucket), burst, (bucket.missing + permits - 1) / permits, retryAfter);
    }

    /** A limit whose answers come at once. */
    StoreLimit direct() {
        return over(new Network() {
            @Override
            public <T> CompletionStage<T> carry(Supplier<T> command) {
                return CompletableFuture.completedFuture(command.get());
            }
        });
    }

    /** How a command reaches the store and its answer comes back. */
    interface Network {
        <T> CompletionStage<T> carry(Supplier<T> command);
    }

    StoreLimit over(Network network) {
        return new StoreLimit() {
            @Override
            public CompletionStage<Reply> acquire(@Nullable Object key, long wanted) {
                return network.carry(() -> ModelStore.this.acquire(key, wanted));
            }

            @Override
            public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long wanted) {
                return network.carry(() -> ModelStore.this.acquireUpTo(key, wanted));
            }

            @Override
            public CompletionStage<Reply> charge(@Nullable Object key, long more) {
                return network.carry(() -> ModelStore.this.charge(key, more));
            }

            @Override
            public boolean countsCost() {
                return byCost;
            }

            @Override
            public long refilled(long nanos) {
                return refundsAll ? 0 : nanos * permits / period;
            }

            @Override
            public CompletionStage<?> ping() {
                return network.carry(() -> "PONG");
            }
        };
    }
}
