package dev.weir.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A token bucket in the form of Spring Cloud Gateway: two keys, whole seconds of the server. */
final class GatewayScript implements Contender {
    private static final String SCRIPT = """
            local rate = tonumber(ARGV[1])
            local capacity = tonumber(ARGV[2])
            local requested = tonumber(ARGV[3])
            local now = tonumber(redis.call('TIME')[1])
            local tokens = tonumber(redis.call('GET', KEYS[1])) or capacity
            local last = tonumber(redis.call('GET', KEYS[2])) or 0
            local filled = math.min(capacity, tokens + math.max(0, now - last) * rate)
            local allowed = filled >= requested
            if allowed then
              filled = filled - requested
            end
            local ttl = math.floor(capacity / rate * 2)
            redis.call('SETEX', KEYS[1], ttl, filled)
            redis.call('SETEX', KEYS[2], ttl, now)
            return {allowed and 1 or 0, filled}
            """;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String sha;
    private final String limit = Long.toString(RedisComparison.LIMIT);

    GatewayScript(String uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
        sha = connection.sync().scriptLoad(SCRIPT);
    }

    @Override
    public String name() {
        return "script of the Spring Cloud Gateway kind";
    }

    @Override
    public CompletionStage<Boolean> tryAcquire() {
        String[] keys = {"{gateway}.tokens", "{gateway}.timestamp"};
        return connection
                .async()
                .<List<Long>>evalsha(sha, ScriptOutputType.MULTI, keys, limit, limit, "1")
                .thenApply(reply -> reply.get(0) == 1);
    }

    @Override
    public void close() {
        client.close();
    }
}
