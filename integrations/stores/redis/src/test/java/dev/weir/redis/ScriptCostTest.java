package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.Ban;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Needs(Server.REDIS)
class ScriptCostTest {
    private static final int MOST_COMMANDS = 64;
    private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+)");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long LOG = Stress.of(1_000L, 10_000L, 65_536L);

    private static RedisServer server;
    private static RedisClient client;
    private static StatefulRedisConnection<byte[], byte[]> connection;
    private static RedisCommands<byte[], byte[]> commands;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        connection = client.connect(ByteArrayCodec.INSTANCE);
        commands = connection.sync();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    private static List<StrategySpec> specs() {
        return List.of(
                TokenBucket.of(LOG, HOUR),
                AllOf.of(TokenBucket.of(LOG, HOUR), TokenBucket.of(LOG, HOUR.multipliedBy(2))),
                new Ban(LeakyBucket.of(1, HOUR).withBurst(LOG - 1), HOUR),
                FixedWindow.of(LOG, HOUR),
                new FirstHitQuota(LOG, HOUR.plusMillis(1)),
                SlidingWindow.of(LOG, HOUR).withBlocks(60),
                SlidingLog.of(LOG, HOUR));
    }

    @Test
    @Tag("proof")
    void D11_noScriptNeedsManyCommandsHoweverMuchItHasCounted() {
        for (StrategySpec spec : specs()) {
            byte[] key = "used".getBytes(US_ASCII);
            commands.del(key);
            assertEquals(LOG, acquireOneByOne(spec, key), spec.toString());
            for (StrategySpec next : specs()) {
                checkCost(spec, Script.CHARGE, 1, key);
                checkCost(spec, Script.ACQUIRE, LOG / 2, key);
                checkCost(spec, Script.CHARGE, -LOG / 4, key);
                checkCost(next, Script.ACQUIRE_UP_TO, LOG / 4, key);
                checkCost(next, Script.ACQUIRE, LOG, key);
            }
        }
    }

    /** Without waiting for each answer; a connection keeps the order. */
    private static long acquireOneByOne(StrategySpec spec, byte[] key) {
        RedisRate rate = RedisRate.of(spec);
        byte[][] arguments = rate.arguments(Script.ACQUIRE, 1, 0).toArray(byte[][]::new);
        String hash = commands.scriptLoad(rate.script().text());
        List<RedisFuture<List<Long>>> answers = new ArrayList<>();
        for (int i = 0; i < LOG; i++) {
            answers.add(connection.async().evalsha(hash, ScriptOutputType.MULTI, new byte[][] {key}, arguments));
        }
        return answers.stream()
                .mapToLong(answer -> answer.toCompletableFuture().join().get(0))
                .sum();
    }

    @Test
    void D11_entriesThatAreTooOldAreRemovedInParts() {
        StrategySpec log = SlidingLog.of(500, Duration.ofMillis(100));
        byte[] key = "old".getBytes(US_ASCII);
        long granted = 0;
        for (int i = 0; i < 2_000; i++) {
            granted += run(log, Script.ACQUIRE_UP_TO, 1, key).get(0);
            assertTrue(commands.zcard(key) <= 2 * 500 + 1, "the log grows");
        }
        assertTrue(granted >= 500);
        checkCost(log, Script.ACQUIRE_UP_TO, 1, key);
    }

    private static void checkCost(StrategySpec spec, int operation, long permits, byte[] key) {
        commands.configResetstat();
        run(spec, operation, permits, key);
        Map<String, Integer> calls = calls();
        int all = calls.values().stream().mapToInt(Integer::intValue).sum();
        assertTrue(all <= MOST_COMMANDS, spec + " needs " + calls);
    }

    private static Map<String, Integer> calls() {
        Map<String, Integer> calls = new HashMap<>();
        Matcher matcher = CALLS.matcher(commands.info("commandstats"));
        while (matcher.find()) {
            if (!matcher.group(1).startsWith("config") && !matcher.group(1).startsWith("eval")) {
                calls.put(matcher.group(1), Integer.parseInt(matcher.group(2)));
            }
        }
        return calls;
    }

    private static List<Long> run(StrategySpec spec, int operation, long permits, byte[] key) {
        RedisRate rate = RedisRate.of(spec);
        byte[][] arguments = rate.arguments(operation, permits, 0).toArray(byte[][]::new);
        return commands.eval(rate.script().text(), ScriptOutputType.MULTI, new byte[][] {key}, arguments);
    }
}
