package dev.weir.redis.contract;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.weir.store.contract.Decision;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs scripts whose time is set by the test, on a server whose keys live longer than a test. */
final class ScriptBench {
    private static final String TIME = "redis.call('TIME')";
    private static final String MARGIN = "local MARGIN = 1 ";

    private final RedisClusterCommands<byte[], byte[]> commands;
    private final Map<String, String> virtual = new HashMap<>();
    private final Map<String, String> digests = new HashMap<>();

    ScriptBench(RedisClusterCommands<byte[], byte[]> commands) {
        this.commands = commands;
    }

    Decision run(ScriptCall call, byte[] key, long micros) {
        List<byte[]> arguments = new ArrayList<>(call.arguments());
        arguments.add(Long.toString(micros).getBytes(StandardCharsets.US_ASCII));
        return eval(virtual.computeIfAbsent(call.text(), ScriptBench::virtual), key, arguments);
    }

    /** By the time of the server. */
    Decision run(ScriptCall call, byte[] key) {
        return eval(call.text(), key, call.arguments());
    }

    /** The last argument is the time in microseconds. */
    private static String virtual(String text) {
        String timed = text.replace(TIME, "{ string.match(table.remove(ARGV), '^(%d+)(%d%d%d%d%d%d)$') }");
        String kept = timed.replace(MARGIN, "local MARGIN = 100000000 ");
        assertNotEquals(text, timed, "the script reads no time");
        assertNotEquals(timed, kept, "the script has no margin");
        return kept;
    }

    private Decision eval(String text, byte[] key, List<byte[]> arguments) {
        byte[][] keys = {key};
        byte[][] values = arguments.toArray(byte[][]::new);
        List<Long> answer;
        try {
            answer = commands.evalsha(
                    digests.computeIfAbsent(text, commands::digest), ScriptOutputType.MULTI, keys, values);
        } catch (RedisNoScriptException e) {
            answer = commands.eval(text, ScriptOutputType.MULTI, keys, values);
        }
        return Decision.of(answer);
    }
}
