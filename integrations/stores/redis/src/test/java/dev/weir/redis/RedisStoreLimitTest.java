package dev.weir.redis;

import static org.awaitility.Awaitility.await;

import dev.weir.spi.StrategySpec;
import dev.weir.store.StoreLimit;
import dev.weir.store.contract.StoreLimitContract;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

@Needs(Server.REDIS)
class RedisStoreLimitTest extends StoreLimitContract {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static Redis redis;

    @BeforeAll
    static void connect() {
        redis = Redis.connect(REDIS.server().uri());
    }

    @AfterAll
    static void close() {
        redis.close();
    }

    @Override
    protected StoreLimit open(String name, StrategySpec spec) {
        return new RedisLimit(redis, KeyName.of("limit", name), RedisRate.of(spec));
    }

    /** By the clock that counts. */
    @Override
    protected void pass(Duration time) {
        long end = micros() + time.toNanos() / 1_000;
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> micros() > end);
    }

    private static long micros() {
        List<String> time = REDIS.commands().time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}
