package dev.weir.benchmarks.store;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.redis.Redis;
import dev.weir.redis.RedisLimiters;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A rate of Weir in one of its modes; its futures are completed by the client's thread, as those of the others. It may have several
 * connections, by which requests go in turn.
 */
final class OurLimiter implements Contender {
    private final RedisClient client;
    private final List<Redis> connections = new ArrayList<>();
    private final List<StoreRateLimiter> limiters = new ArrayList<>();
    private final Request[] requests;
    private final Duration settles;
    private int turn;

    private OurLimiter(String uri, int connections, String name, Terms terms, StrategySpec rate, Mode mode) {
        client = RedisClient.create();
        for (int i = 0; i < connections; i++) {
            Redis redis = Redis.of(client, RedisURI.create(uri));
            this.connections.add(redis);
            limiters.add(RedisLimiters.of(
                    name,
                    rate,
                    redis,
                    WhenAway.closed(),
                    options -> options.mode(mode).executor(Runnable::run)));
        }
        // Batches grow while they are used up, and expire.
        settles = mode instanceof Mode.Batched batched ? batched.expiry().multipliedBy(2) : Duration.ZERO;
        requests = new Request[terms.keys()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = Request.forKey(Terms.name(i));
        }
    }

    static Contender of(String uri, String name, Terms terms, StrategySpec rate, Mode mode) {
        return new OurLimiter(uri, 1, name, terms, rate, mode);
    }

    /** Exact, by so many connections that requests which are on their way at once have one each. */
    static Contender apart(String uri, String name, Terms terms, StrategySpec rate, int connections) {
        return new OurLimiter(uri, connections, name, terms, rate, Mode.exact());
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
        connections.forEach(Redis::close);
        client.close();
    }
}
