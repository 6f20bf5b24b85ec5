package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.StoreRateLimiterBuilder;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.Ban;
import dev.weir.store.rates.LocalRates;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The factory of limiters that Redis counts for all instances, each {@linkplain dev.weir.Request#key() key} by itself; requests
 * without a key count together. A key is null, a String, {@link dev.weir.keyed.KeyValues}, {@link
 * dev.weir.keyed.Dimensions}, a number, a Boolean, a Character, a UUID or an enum constant.
 *
 * <p>No failure of Redis reaches a caller: what Redis does not decide in time is decided by {@link WhenAway}.
 *
 * <p>A {@link dev.weir.algorithms.Settled} counts by cost: {@link dev.weir.Permit#settle} is one command in exact mode, and
 * {@link StoreRateLimiter#charge} is never refused. An instance overruns such a limit by at most what its calls in flight,
 * those not yet settled, cost beyond their estimates. A settlement is sent at most once; an estimate that is never settled
 * stays spent.
 *
 * <pre>{@code
 * Redis redis = Redis.connect("redis://localhost:6379");
 * AsyncLimiter limiter = RedisLimiters.of("login", TokenBucket.of(100, Duration.ofSeconds(1)), redis, WhenAway.local(8));
 * }</pre>
 */
public final class RedisLimiters {
    private RedisLimiters() {}

    /**
     * A limiter with one round trip for each decision.
     *
     * @param name part of the keys in Redis: limiters with the same name share the limit
     * @param spec a bucket, a GCRA, a pacer, a window, a log, a first-hit quota, a {@link Ban}, several even rates at once, a rate by
     *     cost, or one of them for each key
     * @param whenAway what is granted while Redis does not answer
     * @throws IllegalArgumentException if the name is blank, or there is no script for such a limit; the message says why
     */
    public static StoreRateLimiter of(String name, StrategySpec spec, Redis redis, WhenAway whenAway) {
        return of(name, spec, redis, whenAway, options -> {});
    }

    /**
     * The same with other options, such as the mode: {@code options -> options.mode(Mode.batched(20))}.
     *
     * @param options sets what is not to be as by default
     * @throws IllegalArgumentException if the name is blank, there is no script for such a limit, or an option does not fit
     */
    public static StoreRateLimiter of(
            String name, StrategySpec spec, Redis redis, WhenAway whenAway, Consumer<StoreRateLimiterBuilder> options) {
        Objects.requireNonNull(redis, "redis");
        KeyName names = KeyName.of("limit", name);
        StoreRateLimiterBuilder builder = StoreRateLimiter.builder(
                        name, spec, rate -> new RedisLimit(redis, names, RedisRate.of(rate)), whenAway)
                .local(LocalRates::of);
        options.accept(builder);
        return builder.build();
    }
}
