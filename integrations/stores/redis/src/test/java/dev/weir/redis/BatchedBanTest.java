package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.LeakyBucket;
import dev.weir.store.Mode;
import dev.weir.store.WhenAway;
import dev.weir.store.rates.Ban;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@Needs(Server.REDIS)
class BatchedBanTest {
    @Test
    void aKeyIsNotBannedForPermitsThatWereToBeTakenInAdvance() {
        Ban ban = new Ban(LeakyBucket.of(1, Duration.ofSeconds(10)).withBurst(1), Duration.ofSeconds(60));
        try (RedisServer server = RedisServer.inMemory();
                Redis redis = Redis.connect(server.uri())) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class,
                    () -> RedisLimiters.of(
                            "login", ban, redis, WhenAway.closed(), options -> options.mode(Mode.batched(2))));
            assertTrue(("" + refused.getMessage()).startsWith("mode must not be batched"));
        }
    }
}
