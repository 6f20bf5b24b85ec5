package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.state.Operation;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A script of limits whose time is set by the test, on a server whose keys live longer than a test, and the same script by the server's time. */
final class ScriptBench {
    private static final String TIME = "redis.call('TIME')";
    private static final String MARGIN = "local MARGIN = 1 ";

    private final RedisClusterCommands<byte[], byte[]> commands;
    private final String text;
    private final String virtual;
    private final String prefix = UUID.randomUUID() + " ";
    private final Map<StrategySpec, RedisRate> rates = new HashMap<>();
    private final Map<String, String> digests = new HashMap<>();

    private ScriptBench(RedisClusterCommands<byte[], byte[]> commands, String text) {
        this.commands = commands;
        this.text = text;
        virtual = virtual(text);
    }

    static ScriptBench of(RedisClusterCommands<byte[], byte[]> commands) {
        return new ScriptBench(commands, Script.LIMIT.text());
    }

    /** A script with a mistake. */
    static ScriptBench mistaken(RedisClusterCommands<byte[], byte[]> commands, String right, String wrong) {
        String text = Script.LIMIT.text().replace(right, wrong);
        assertNotEquals(Script.LIMIT.text(), text, "the script does not have: " + right);
        return new ScriptBench(commands, text);
    }

    /** The last argument is the time in microseconds. */
    private static String virtual(String text) {
        String timed = text.replace(TIME, "{ string.match(table.remove(ARGV), '^(%d+)(%d%d%d%d%d%d)$') }");
        String kept = timed.replace(MARGIN, "local MARGIN = 100000000 ");
        assertNotEquals(text, timed, "the script reads no time");
        assertNotEquals(timed, kept, "the script has no margin");
        return kept;
    }

    RedisClusterCommands<byte[], byte[]> commands() {
        return commands;
    }

    /** The key in Redis. */
    byte[] key(String name) {
        return (prefix + name).getBytes(US_ASCII);
    }

    /** A step at this time, after which the key does not live for ever. */
    Reply step(StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        Reply reply = eval(at(micros, Calls.of(rate(spec), operation, permits, grantedAt, 0)), key);
        assertTrue(commands.pttl(key(key)) != -1, () -> spec + " left a key for ever after " + operation);
        return reply;
    }

    /** Asks what an even rate has at this time if it counts as used up since another one. */
    Reply usedUpSince(long since, StrategySpec spec, String key, long micros) {
        return eval(at(micros, Calls.of(rate(spec), Operation.ACQUIRE, 0, 0, since)), key);
    }

    /** A step by the time of the server. */
    Reply step(StrategySpec spec, Operation operation, long permits, String key) {
        return eval(new Call(text, Calls.of(rate(spec), operation, permits, 0, 0)), key);
    }

    private record Call(String script, List<byte[]> arguments) {}

    private Call at(long micros, List<byte[]> arguments) {
        List<byte[]> all = new ArrayList<>(arguments);
        all.add(Long.toString(micros).getBytes(US_ASCII));
        return new Call(virtual, all);
    }

    private RedisRate rate(StrategySpec spec) {
        return rates.computeIfAbsent(spec, RedisRate::of);
    }

    private Reply eval(Call call, String key) {
        byte[][] keys = {key(key)};
        byte[][] values = call.arguments.toArray(byte[][]::new);
        String digest = digests.computeIfAbsent(call.script, commands::digest);
        List<Long> answer;
        try {
            answer = commands.evalsha(digest, ScriptOutputType.MULTI, keys, values);
        } catch (RedisNoScriptException e) {
            answer = commands.eval(call.script, ScriptOutputType.MULTI, keys, values);
        }
        return RateAnswer.of(answer).get();
    }
}
