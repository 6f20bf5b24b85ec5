package dev.weir.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;

/** A script that returns 1: what a round trip through the same client costs. */
final class Floor implements Contender {
    private static final String SCRIPT = "return 1";

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String sha;

    Floor(String uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
        sha = connection.sync().scriptLoad(SCRIPT);
    }

    @Override
    public String name() {
        return "floor: EVALSHA of 'return 1'";
    }

    @Override
    public CompletionStage<Boolean> tryAcquire() {
        return connection
                .async()
                .<Long>evalsha(sha, ScriptOutputType.INTEGER, "floor")
                .thenApply(reply -> reply == 1);
    }

    @Override
    public void close() {
        client.close();
    }
}
