package dev.weir.benchmarks.store;

import io.lettuce.core.ScriptOutputType;
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

    private final RedisScript script;
    private final String[][] names;
    private final String rate;
    private final String capacity;

    GatewayScript(String uri, String name, Terms terms) {
        script = new RedisScript(uri, SCRIPT);
        names = new String[terms.keys()][];
        for (int i = 0; i < names.length; i++) {
            String both = "request_rate_limiter.{" + name + "." + Terms.name(i) + "}.";
            names[i] = new String[] {both + "tokens", both + "timestamp"};
        }
        rate = Long.toString(terms.permitsPerSecond());
        capacity = Long.toString(terms.permits());
    }

    @Override
    public CompletionStage<Boolean> tryAcquire(int key) {
        return script.<List<Long>>call(ScriptOutputType.MULTI, names[key], rate, capacity, "1")
                .thenApply(reply -> reply.get(0) == 1);
    }

    @Override
    public void close() {
        script.close();
    }
}
