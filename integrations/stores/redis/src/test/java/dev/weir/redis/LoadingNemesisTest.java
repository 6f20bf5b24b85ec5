package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.TokenBucket;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed under load, and that needs some time to load its data again. */
@Tag("real-time")
@Timeout(3_600)
@Needs(Server.REDIS)
class LoadingNemesisTest {
    private static final int ROUNDS = Stress.of(1, 10, 200);
    private static final int OTHER_KEYS = 8_000;
    private static final long RATE = 200;
    private static final long BURST = 1_000;
    private static final TokenBucket LIMIT =
            TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST);

    private static void fill(String uri) {
        RedisClient client = RedisClient.create(uri);
        RedisAsyncCommands<String, String> commands = client.connect().async();
        RedisFuture<?>[] set = new RedisFuture<?>[OTHER_KEYS];
        for (int key = 0; key < OTHER_KEYS; key++) {
            set[key] = commands.set("other " + key, "");
        }
        assertTrue(LettuceFutures.awaitAll(Duration.ofMinutes(1), set));
        client.shutdown();
    }

    /** Each command of the file takes some 60 microseconds to load, and clients are answered after each 1,024. */
    @Test
    void D5_D6_D8_aServerThatLoadsDecidesNothingAndForgetsNothing() {
        try (RedisServer server = RedisServer.durable("--key-load-delay", "10")) {
            fill(server.uri());
            try (KeyedLoad load = new KeyedLoad(server.uri(), 1)) {
                KeyedLoad.Limit closed = load.limit("closed", LIMIT, WhenAway.closed(), List.of("key"));
                KeyedLoad.Limit local = load.limit("local", LIMIT, WhenAway.local(2), List.of("key"));
                load.start();
                KeyedLoad.eventually().until(() -> closed.granted() >= BURST && local.granted() >= BURST);
                long errors = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    server.kill();
                    server.startLoading();
                    errors += decidesNothing(server, load, closed);
                    load.awaitBack();
                    load.awaitCalls(1_000);
                    assertTrue(closed.granted() <= BURST + load.refilled(RATE), () -> "closed: " + closed.granted());
                }
                load.check("loading");
                long most = 2 * BURST + load.refilled(RATE) + local.uncounted();
                assertTrue(local.granted() <= most, () -> "local: " + local.granted() + " of " + most);
                System.out.printf(
                        ">>> loading: %d starts, %,d errors LOADING, closed %,d and local %,d granted of at most %,d and %,d%n",
                        ROUNDS, errors, closed.granted(), local.granted(), most - BURST, most);
            }
        }
    }

    /** The errors that it has answered, from when it first did until the last look while it loaded. */
    private static long decidesNothing(RedisServer server, KeyedLoad load, KeyedLoad.Limit closed) {
        KeyedLoad.eventually().until(() -> server.errors("LOADING") >= 2);
        long granted = load.byStore();
        long here = closed.localDecisions();
        KeyedLoad.eventually().until(() -> server.errors("LOADING") >= 6 && closed.localDecisions() > here + 100);
        long after = load.byStore();
        assertTrue(server.isLoading(), "it has loaded too fast for the test to see it");
        assertEquals(granted, after, "granted by a server that loads");
        return server.errors("LOADING");
    }
}
