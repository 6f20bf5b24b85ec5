package dev.weir.benchmarks.store;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;

/** A script and the one connection by which it is called. */
final class RedisScript implements AutoCloseable {
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String sha;

    RedisScript(String uri, String text) {
        client = RedisClient.create(uri);
        connection = client.connect();
        sha = connection.sync().scriptLoad(text);
    }

    /** The answer, of the type that {@code type} makes of it. */
    <T> CompletionStage<T> call(ScriptOutputType type, String[] keys, String... arguments) {
        return connection.async().evalsha(sha, type, keys, arguments);
    }

    @Override
    public void close() {
        client.close();
    }
}
