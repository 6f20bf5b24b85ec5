package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.Ban;
import dev.weir.store.state.Operation;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Calls at several keys in one command: what happens at one does not concern the others. */
@Needs(Server.REDIS)
class ManyKeysTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final List<StrategySpec> SPECS = List.of(
            TokenBucket.of(10, HOUR),
            FixedWindow.of(10, HOUR),
            SlidingWindow.of(10, HOUR),
            SlidingLog.of(10, HOUR),
            new Ban(LeakyBucket.of(10, HOUR).withBurst(9), HOUR));

    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<byte[], byte[]> commands;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
        client = RedisClient.create(server.uri());
        commands = client.connect(ByteArrayCodec.INSTANCE).sync();
    }

    @AfterAll
    static void stopServer() {
        client.shutdown();
        server.close();
    }

    private static byte[] key(String name) {
        return name.getBytes(UTF_8);
    }

    private static RateCall call(StrategySpec spec, String key, long permits) {
        return RedisRate.of(spec).call(key(key), Operation.ACQUIRE, permits, 0);
    }

    private static List<Object> run(List<RateCall> calls) {
        return commands.eval(
                Script.LIMIT.text(),
                ScriptOutputType.MULTI,
                calls.stream().map(RateCall::key).toArray(byte[][]::new),
                RateCall.arguments(calls).toArray(byte[][]::new));
    }

    /** What was granted to each; a text = it has failed. */
    private static List<Object> granted(List<RateCall> calls) {
        List<Object> answer = run(calls);
        assertEquals(RateAnswer.RESULTS * calls.size(), answer.size());
        List<Object> granted = new ArrayList<>();
        for (int i = 0; i < answer.size(); i += RateAnswer.RESULTS) {
            granted.add(answer.get(i) instanceof byte[] text ? new String(text, UTF_8) : answer.get(i));
        }
        return granted;
    }

    @Test
    void keysOfAllRulesAreCountedInOneCommand() {
        List<RateCall> calls = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            calls.add(call(SPECS.get(i % SPECS.size()), "all" + i % SPECS.size(), 1));
        }
        List<Object> granted = granted(calls);
        for (int i = 0; i < 64; i++) {
            assertEquals(i < 50 ? 1L : 0L, granted.get(i), "call " + i);
        }
    }

    @Test
    void junkUnderOneKeyIsHealedAndTheOthersAreCounted() {
        commands.rpush(key("junk"), key("a"), key("b"));
        List<Object> answer = run(List.of(
                call(SPECS.get(0), "before", 3), call(SPECS.get(0), "junk", 4), call(SPECS.get(2), "after", 5)));
        assertEquals(
                List.of(3L, 7L, 4L, 6L, 5L, 5L),
                List.of(answer.get(0), answer.get(1), answer.get(7), answer.get(8), answer.get(14), answer.get(15)));
        assertEquals(List.of(0L, 1L, 0L), List.of(answer.get(6), answer.get(13), answer.get(20)));
    }

    @Test
    void aCallThatIsWrongFailsAlone() {
        RateCall wrong = new RateCall(RedisRate.of(SPECS.get(0)), key("wrong"), Script.ACQUIRE, -1, 0);
        List<Object> granted = granted(List.of(call(SPECS.get(0), "one", 1), wrong, call(SPECS.get(0), "two", 2)));
        assertEquals(1L, granted.get(0));
        assertTrue(granted.get(1).toString().contains("permits must be >= 0"), granted::toString);
        assertEquals(2L, granted.get(2));
        assertEquals(0, commands.exists(key("wrong")));
    }

    @Test
    void D5_aServerWithoutMemoryStillRefusesWhatIsUsedUp() {
        for (StrategySpec spec : SPECS) {
            String id = spec.getClass().getSimpleName();
            assertEquals(List.of(10L, 2L), granted(List.of(call(spec, id + "full", 10), call(spec, id + "some", 2))));
            granted(List.of(call(spec, id + "full", 1))); // begins a ban
            byte[] before = commands.dump(key(id + "some"));
            commands.configSet("maxmemory", "1");
            List<Object> granted =
                    granted(List.of(call(spec, id + "some", 1), call(spec, id + "full", 1), call(spec, id + "new", 1)));
            commands.configSet("maxmemory", "0");
            assertTrue(granted.get(0).toString().startsWith("OOM "), granted::toString);
            assertEquals(0L, granted.get(1));
            assertTrue(granted.get(2).toString().startsWith("OOM "), granted::toString);
            assertArrayEquals(before, commands.dump(key(id + "some")), id);
            assertEquals(0, commands.exists(key(id + "new")));
        }
    }

    @Test
    void D5_aReplicaFailsAsAWhole() {
        List<RateCall> calls = List.of(call(SPECS.get(0), "replica1", 1), call(SPECS.get(2), "replica2", 1));
        commands.replicaof("127.0.0.1", server.port());
        try {
            RedisCommandExecutionException thrown =
                    assertThrows(RedisCommandExecutionException.class, () -> run(calls));
            assertTrue(thrown instanceof RedisReadOnlyException || RedisError.READONLY.is(thrown), thrown::toString);
        } finally {
            commands.replicaofNoOne();
        }
    }
}
