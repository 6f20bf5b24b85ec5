package dev.weir.redis;

import static dev.weir.redis.TestScripts.COUNT;
import static dev.weir.redis.TestScripts.assertEachScriptAnswers;
import static dev.weir.redis.TestScripts.pings;
import static dev.weir.redis.TestScripts.run;
import static dev.weir.redis.TestScripts.since;
import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisSentinels;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("real-time")
@Needs(Server.REDIS)
class RedisOnSentinelsTest {
    private static RedisSentinels sentinels;

    @BeforeAll
    static void start() {
        sentinels = RedisSentinels.started();
    }

    @AfterAll
    static void stop() {
        sentinels.close();
    }

    @Test
    void D8_aFailOverIsFollowedAndNothingIsUnusedThere() throws Exception {
        try (Redis redis = Redis.connect(sentinels.uri())) {
            assertEquals(List.of(1L, 0L), run(redis, COUNT, "a"));
            sentinels.failOver();
            soon().until(() -> since(redis, "a") > 0);
            soon().until(() -> pings(redis));
            sentinels.startKilled();
        }
    }

    @Test
    void D1_eachScriptIsAnsweredByTheMaster() throws Exception {
        try (Redis redis = Redis.connect(sentinels.uri())) {
            assertEachScriptAnswers(redis);
        }
    }

    @Test
    void aSourceAndARegistryUseTheMasterThatTheyName() throws Exception {
        RedisURI uri = RedisURI.create(sentinels.uri());
        try (RedisSource source = RedisSource.connect(uri, "absent.yaml");
                RedisRegistry registry = RedisRegistry.connect(uri, "shop")) {
            assertTrue(source.read().isAbsent());
            assertTrue(registry.renew().toMillis() > 0);
        }
    }

    @Nested
    class Limiters extends RedisLimiterContract {
        @Override
        protected String uri() {
            return sentinels.uri();
        }
    }
}
