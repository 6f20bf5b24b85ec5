package dev.weir.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Scripts over one connection. */
final class LettuceScripts implements Scripts, AutoCloseable {
    private final RedisClient client;
    private final RedisAsyncCommands<byte[], byte[]> redis;

    LettuceScripts(String uri) {
        client = RedisClient.create(uri);
        redis = client.connect(ByteArrayCodec.INSTANCE).async();
    }

    @Override
    public CompletionStage<List<Long>> run(Script script, byte[] key, List<byte[]> arguments) {
        return redis.eval(script.text(), ScriptOutputType.MULTI, new byte[][] {key}, arguments.toArray(byte[][]::new));
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
