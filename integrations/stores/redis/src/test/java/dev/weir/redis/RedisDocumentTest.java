package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigEvent;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A document in Redis, with limits that Redis counts for two instances. */
@Needs(Server.REDIS)
class RedisDocumentTest {
    private static final String KEY = "limits.yaml";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<ConfigEvent> events = new CopyOnWriteArrayList<>();
    private RedisServer server;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private Redis redis;
    private LimiterRegistry one;
    private LimiterRegistry two;

    @BeforeEach
    void start() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        connection = client.connect();
        redis = Redis.connect(server.uri());
        write(1, "rate: 5/d, when-away: closed");
        one = instance();
        two = instance();
    }

    @AfterEach
    void stop() {
        one.close();
        two.close();
        redis.close();
        client.shutdown();
        server.close();
    }

    private void write(long version, String limit) {
        connection
                .sync()
                .set(
                        KEY,
                        "document: { version: " + version + " }\nlimits:\n  search: { scope: store, " + limit
                                + " }\n...\n");
    }

    private LimiterRegistry instance() {
        return LimiterRegistry.builder()
                .source(RedisSource.connect(RedisURI.create(server.uri()), KEY))
                .store(this::limiter)
                .onEvent(events::add)
                .build();
    }

    /* As RedisStore does, but a starved machine does not make Redis look away. */
    private StoreLimiter limiter(String name, StrategySpec spec, Mode mode, WhenAway whenAway) {
        return RedisLimiters.of(
                name, spec, redis, whenAway, options -> options.mode(mode).timeout(Duration.ofSeconds(20)));
    }

    private void change(long version, String limit) {
        write(version, limit);
        await().until(() -> one.status().number() == version && two.status().number() == version);
    }

    private int granted(Request request) throws InterruptedException {
        NamedLimiter first = one.limiter("search");
        NamedLimiter second = two.limiter("search");
        int granted = 0;
        while (first.acquire(request, Duration.ZERO) instanceof Permit) {
            granted++;
            granted += second.acquire(request, Duration.ZERO) instanceof Permit ? 1 : 0;
        }
        return granted;
    }

    @Test
    void allInstancesTogetherAreGrantedTheLimitOfTheDocument() throws Exception {
        Permit permit = assertInstanceOf(Permit.class, one.limiter("search").acquire(Request.ONE, SECOND));
        Quota quota = permit.quota();
        assertEquals(5, quota == null ? -1 : quota.limit());
        assertEquals(4, quota == null ? -1 : quota.remaining());
        assertEquals(4, granted(Request.ONE));

        change(2, "rate: 8/d, when-away: closed");
        assertEquals(3, granted(Request.ONE));

        change(3, "rate: 10/d, mode: verdict, when-away: open");
        assertInstanceOf(Permit.class, one.limiter("search").acquire(Request.ONE, SECOND));
    }

    @Test
    void withAKeyEachKeyIsCountedByItself() throws Exception {
        change(2, "rate: 3/d, key: [user, ip], when-away: closed");
        assertEquals(3, granted(one.limiter("search").request(dimension -> dimension + "-ann")));
        assertEquals(3, granted(two.limiter("search").request(dimension -> dimension + "-ben")));
        assertEquals(0, granted(two.limiter("search").request(dimension -> dimension + "-ann")));
        assertEquals(0, granted(Request.ONE));
    }

    @Test
    void aCostIsSettledAndChargedForAllInstances() throws Exception {
        change(2, "rate: 1000/d, cost: settled, when-away: closed");
        NamedLimiter first = one.limiter("search");
        NamedLimiter second = two.limiter("search");
        Request estimated = Request.ONE.settled(600);
        Permit permit = assertInstanceOf(Permit.class, first.acquire(estimated, Duration.ZERO));
        assertFalse(second.acquire(estimated, Duration.ZERO) instanceof Permit);
        assertTrue(permit.settle(100));
        await().until(() -> second.acquire(estimated, Duration.ZERO) instanceof Permit);
        assertTrue(second.charge(Request.ONE.settled(5_000)));
        await().until(() -> !(first.acquire(Request.ONE, Duration.ZERO) instanceof Permit));
        change(3, "rate: 9000/d, when-away: closed");
        assertFalse(first.charge(estimated));
    }

    @Test
    void whatRedisCannotCountIsAProblemByLineAndTheLastGoodStays() throws Exception {
        change(2, "concurrency: 5, when-away: closed");
        await().until(() -> events.stream()
                .anyMatch(event -> event instanceof ConfigEvent.Changed changed
                        && changed.version().equals("2")));
        ConfigEvent.Changed changed = events.stream()
                .filter(ConfigEvent.Changed.class::isInstance)
                .map(ConfigEvent.Changed.class::cast)
                .filter(event -> event.version().equals("2"))
                .findFirst()
                .orElseThrow();
        assertEquals(List.of(3), changed.problems().stream().map(Problem::line).toList());
        assertEquals(
                List.of("search"),
                changed.problems().stream().map(Problem::limiter).toList());
        assertEquals(5, granted(Request.ONE));
    }
}
