package dev.weir.redis;

import dev.weir.Decision;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.distributed.remote.RemoteLimiter;
import dev.weir.distributed.remote.RemoteStatus;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A rate that Redis counts for all instances, each {@linkplain Request#key() key} by itself; requests without a key count
 * together. A key is null, a String, {@link dev.weir.keyed.Dimensions}, a number, a Boolean, a Character, a UUID or an enum
 * constant. Thread-safe.
 *
 * <p>No failure of Redis reaches a caller: what Redis does not decide in time is decided by {@link
 * dev.weir.distributed.WhenAway}.
 *
 * @see RedisLimiters
 */
public final class RedisLimiter implements RemoteStatus.Source {
    private final RemoteLimiter limiter;
    private final KeyName names;

    RedisLimiter(RemoteLimiter limiter, KeyName names) {
        this.limiter = limiter;
        this.names = names;
    }

    @Override
    public String name() {
        return limiter.name();
    }

    @Override
    public StrategySpec spec() {
        return limiter.spec();
    }

    @Override
    public RemoteStatus status() {
        return limiter.status();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the key has another type
     */
    @Override
    public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
        return limiter.acquireAsync(checked(request), maxWait);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the key has another type
     */
    @Override
    public Decision acquire(Request request, Duration maxWait) throws InterruptedException {
        return limiter.acquire(checked(request), maxWait);
    }

    @Override
    public @Nullable Quota quota(Request request) {
        return limiter.quota(checked(request));
    }

    private Request checked(Request request) {
        Object key = request.key();
        if (key != null && !(key instanceof String) && names.of(key) == null) {
            throw new IllegalArgumentException(
                    "key must be a String, Dimensions, a number, a Boolean, a Character, a UUID or an enum constant, was a "
                            + key.getClass().getName());
        }
        return request;
    }

    @Override
    public void reconfigure(StrategySpec spec) {
        limiter.reconfigure(spec);
    }

    @Override
    public void close() {
        limiter.close();
    }

    /** The name and the specification. */
    @Override
    public String toString() {
        return "RedisLimiter[" + name() + ", " + spec() + "]";
    }
}
