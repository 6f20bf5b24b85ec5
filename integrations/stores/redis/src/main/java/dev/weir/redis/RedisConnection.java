package dev.weir.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is used until it is lost. Lettuce would connect again by itself, after a delay that grows to half a minute,
 * and keep requests until then; and the server would not tell of changes any more.
 */
final class RedisConnection {
    /** By the time of the server. Each writing looks at a few fields, from a random place on, and removes what is too old. */
    private static final String WRITE = """
            local now = tonumber(redis.call('TIME')[1])
            redis.call('HSET', KEYS[1], ARGV[1], (now + 15) .. ' ' .. ARGV[2])
            redis.call('EXPIRE', KEYS[1], 15)
            local some = redis.call('HSCAN', KEYS[1], ARGV[3], 'COUNT', 10)[2]
            for i = 1, #some, 2 do
              local till = string.match(some[i + 1], '^(%d+) ')
              if not till or tonumber(till) < now then
                redis.call('HDEL', KEYS[1], some[i])
              end
            end
            return 1
            """;

    private static final String LIST = """
            local now = tonumber(redis.call('TIME')[1])
            local all = redis.call('HGETALL', KEYS[1])
            local live = {}
            for i = 1, #all, 2 do
              local till, status = string.match(all[i + 1], '^(%d+) (.*)$')
              if till and tonumber(till) >= now then
                live[#live + 1] = status
              else
                redis.call('HDEL', KEYS[1], all[i])
              end
            end
            return live
            """;

    private final StatefulRedisConnection<String, byte[]> connection;
    private final Runnable signal;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean lost;
    private boolean tracked;

    private RedisConnection(StatefulRedisConnection<String, byte[]> connection, Runnable signal) {
        this.connection = connection;
        this.signal = signal;
    }

    /** {@code signal} is called when the key that was read may have changed, and when the connection is lost. */
    static RedisConnection of(RedisClient client, Runnable signal) {
        StatefulRedisConnection<String, byte[]> connection =
                client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        connection.setTimeout(RedisSource.TIMEOUT);
        RedisConnection made = new RedisConnection(connection, signal);
        try {
            made.track();
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        return made;
    }

    private void track() {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                lost = true;
                close();
                signal.run();
            }
        });
        connection.addListener(message -> {
            if (message.getType().equals("invalidate")) {
                signal.run();
            }
        });
        if (connection.getOptions().getConfiguredProtocolVersion() == ProtocolVersion.RESP2) {
            return; // The server would agree and never tell.
        }
        try {
            connection.sync().clientTracking(TrackingArgs.Builder.enabled());
            tracked = true;
        } catch (RedisCommandExecutionException refused) {
            tracked = false;
        }
    }

    boolean isOpen() {
        return !lost && connection.isOpen();
    }

    boolean isTracked() {
        return tracked;
    }

    byte @Nullable [] get(String key) {
        return connection.sync().get(key);
    }

    void write(String key, String instance, String json) throws Exception {
        renew(key, instance, json).get(RedisSource.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Without waiting for the answer. */
    RedisFuture<Long> renew(String key, String instance, String json) {
        String from = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
        return connection
                .async()
                .eval(WRITE, ScriptOutputType.INTEGER, new String[] {key}, bytes(instance), bytes(json), bytes(from));
    }

    List<byte[]> list(String key) {
        return connection.sync().eval(LIST, ScriptOutputType.MULTI, new String[] {key});
    }

    /** If the server answers within a second. */
    void remove(String key, Set<String> instances) {
        if (instances.isEmpty() || !isOpen()) {
            return;
        }
        try {
            connection.async().hdel(key, instances.toArray(String[]::new)).await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void close() {
        if (closed.compareAndSet(false, true)) {
            CompletableFuture<Void> unused =
                    connection.closeAsync().whenComplete((done, failure) -> ended.complete(null));
        }
    }

    /** Completes when the client knows nothing of the connection any more. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
