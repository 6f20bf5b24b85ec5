package dev.weir.benchmarks.store;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.jdbc.JdbcStore;
import dev.weir.redis.Redis;
import dev.weir.redis.RedisLimiters;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.StoreRateLimiterBuilder;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.StateLimits;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A rate of Weir in one of its modes; its futures are completed by the client's thread, as those of the others. It may have several
 * limiters, by which requests go in turn.
 */
final class OurLimiter implements Contender {
    /** None of the others decides without its store after a time, so this one should not either. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final List<StoreRateLimiter> limiters;
    private final List<Runnable> ends;
    private final Request[] requests;
    private final Duration settles;
    private int turn;

    private OurLimiter(Terms terms, Mode mode, List<StoreRateLimiter> limiters, List<Runnable> ends) {
        this.limiters = limiters;
        this.ends = ends;
        // Batches grow while they are used up, and expire.
        settles = mode instanceof Mode.Batched batched ? batched.expiry().multipliedBy(2) : Duration.ZERO;
        requests = Stream.of(terms.names()).map(Request::forKey).toArray(Request[]::new);
    }

    /** Counted by Redis, by so many connections in turn. */
    static Contender redis(String uri, String name, Terms terms, StrategySpec rate, Mode mode, int connections) {
        RedisClient client = RedisClient.create();
        List<StoreRateLimiter> limiters = new ArrayList<>();
        List<Runnable> ends = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Redis redis = Redis.of(client, RedisURI.create(uri));
            limiters.add(RedisLimiters.of(name, rate, redis, WhenAway.closed(), options(mode)));
            ends.add(redis::close);
        }
        ends.add(client::close);
        return new OurLimiter(terms, mode, limiters, ends);
    }

    /** Counted by a database. */
    static Contender database(String url, String name, Terms terms, StrategySpec rate, Mode mode) {
        JdbcStore store = JdbcStore.builder(Database.source(url)).createTable().build();
        StoreRateLimiter limiter = new StateLimits(store).limiter(name, rate, WhenAway.closed(), options(mode));
        return new OurLimiter(terms, mode, List.of(limiter), List.of(store::close));
    }

    private static Consumer<StoreRateLimiterBuilder> options(Mode mode) {
        return options -> options.mode(mode).timeout(TIMEOUT).executor(Runnable::run);
    }

    @Override
    public CompletionStage<Boolean> tryAcquire(int key) {
        turn = turn + 1 == limiters.size() ? 0 : turn + 1;
        return limiters.get(turn).acquireAsync(requests[key], Duration.ZERO).thenApply(Permit.class::isInstance);
    }

    @Override
    public Duration settles() {
        return settles;
    }

    @Override
    public void close() {
        limiters.forEach(StoreRateLimiter::close);
        ends.forEach(Runnable::run);
    }
}
