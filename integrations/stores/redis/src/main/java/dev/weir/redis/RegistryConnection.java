package dev.weir.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Two connections that are used until one is lost: for scripts, and for messages. Each script decides by the time of the server, and
 * writes the time to live with the rest. A member is a field {@code ID} of the hash of members, with the instant in microseconds at
 * which it ends and the token of its registry. An entry is a field of the hash of entries, with its version and its value; the version
 * is the instant of the replacement, so that it does not repeat if the server lost its data.
 */
final class RegistryConnection {
    private static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            """;

    /** ARGV: the instance, its token, the lease in microseconds, the time to live in milliseconds, the channel. */
    private static final String RENEW = NOW + """
            local told = false
            local members = redis.call('HGETALL', KEYS[1])
            for i = 1, #members, 2 do
              local till = tonumber(string.match(members[i + 1], '^%d+'))
              if not till or till <= now then
                redis.call('HDEL', KEYS[1], members[i])
                told = true
              elseif members[i] == ARGV[1] and string.match(members[i + 1], ' (.*)$') ~= ARGV[2] then
                return 0
              end
            end
            local till = string.format('%.0f', now + ARGV[3])
            local added = redis.call('HSET', KEYS[1], ARGV[1], till .. ' ' .. ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[4])
            redis.call('PEXPIRE', KEYS[2], ARGV[4])
            if told or added == 1 then
              redis.call('PUBLISH', ARGV[5], '')
            end
            return 1
            """;

    /** ARGV: the entry. Replies with the text of the entry and the members. */
    private static final String READ = NOW + """
            local reply = { redis.call('HGET', KEYS[2], ARGV[1]) or '' }
            local members = redis.call('HGETALL', KEYS[1])
            for i = 1, #members, 2 do
              local till = tonumber(string.match(members[i + 1], '^%d+'))
              if till and till > now then
                reply[#reply + 1] = members[i]
              end
            end
            return reply
            """;

    /** ARGV: the entry, its version, the value, the time to live in milliseconds, the channel. */
    private static final String REPLACE = NOW + """
            local old = redis.call('HGET', KEYS[2], ARGV[1])
            local version = old and tonumber(string.match(old, '^(%d+) ')) or 0
            if version ~= tonumber(ARGV[2]) then
              return 0
            end
            local next = string.format('%.0f', math.max(version + 1, now))
            redis.call('HSET', KEYS[2], ARGV[1], next .. ' ' .. ARGV[3])
            redis.call('PEXPIRE', KEYS[2], ARGV[4])
            redis.call('PUBLISH', ARGV[5], ARGV[1])
            return 1
            """;

    /** ARGV: the instance, its token, the channel. */
    private static final String LEAVE = """
            local own = redis.call('HGET', KEYS[1], ARGV[1])
            if own and string.match(own, ' (.*)$') == ARGV[2] then
              redis.call('HDEL', KEYS[1], ARGV[1])
              redis.call('PUBLISH', ARGV[3], '')
            end
            return 1
            """;

    private final StatefulRedisConnection<String, String> scripts;
    private final StatefulRedisPubSubConnection<String, String> messages;
    private final Runnable ended;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    private RegistryConnection(
            StatefulRedisConnection<String, String> scripts,
            StatefulRedisPubSubConnection<String, String> messages,
            Runnable ended) {
        this.scripts = scripts;
        this.messages = messages;
        this.ended = ended;
    }

    /**
     * Connects.
     *
     * @param told called with each message of the channel, on a thread of the client
     * @param ended called when it is lost, on a thread of the client
     */
    static RegistryConnection of(
            RedisClient client, Duration timeout, String channel, Consumer<String> told, Runnable ended) {
        StatefulRedisConnection<String, String> scripts = client.connect();
        StatefulRedisPubSubConnection<String, String> messages;
        try {
            messages = client.connectPubSub();
        } catch (RuntimeException e) {
            CompletableFuture<Void> unused = scripts.closeAsync();
            throw e;
        }
        RegistryConnection made = new RegistryConnection(scripts, messages, ended);
        try {
            made.begin(timeout, channel, told);
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        return made;
    }

    private void begin(Duration timeout, String channel, Consumer<String> told) {
        RedisConnectionStateListener onLoss = new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress server) {}

            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                lost();
            }
        };
        scripts.setTimeout(timeout);
        scripts.addListener(onLoss);
        messages.setTimeout(timeout);
        messages.addListener(onLoss);
        messages.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String message) {
                told.accept(message);
            }
        });
        messages.sync().subscribe(channel);
    }

    private void lost() {
        if (close()) {
            ended.run();
        }
    }

    boolean isOpen() {
        return !closed.get() && scripts.isOpen() && messages.isOpen();
    }

    /** Returns false if another instance has the id. */
    boolean renew(String[] keys, String instance, String token, Duration lease, String ttlMillis, String channel) {
        String micros = Long.toString(TimeUnit.NANOSECONDS.toMicros(lease.toNanos()));
        return isDone(RENEW, keys, instance, token, micros, ttlMillis, channel);
    }

    List<String> read(String[] keys, String entry) {
        return scripts.sync().eval(READ, ScriptOutputType.MULTI, keys, entry);
    }

    boolean replace(String[] keys, String entry, long version, String value, String ttlMillis, String channel) {
        return isDone(REPLACE, keys, entry, Long.toString(version), value, ttlMillis, channel);
    }

    private boolean isDone(String script, String[] keys, String... arguments) {
        Long done = scripts.sync().eval(script, ScriptOutputType.INTEGER, keys, arguments);
        return done == 1;
    }

    /** If the server answers within a second. */
    void leave(String[] keys, String instance, String token, String channel) {
        RedisFuture<Long> left = scripts.async().eval(LEAVE, ScriptOutputType.INTEGER, keys, instance, token, channel);
        try {
            boolean unused = left.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns false if it was closed before. */
    boolean close() {
        if (!closed.compareAndSet(false, true)) {
            return false;
        }
        CompletableFuture<Void> unused = CompletableFuture.allOf(scripts.closeAsync(), messages.closeAsync())
                .whenComplete((done, failure) -> end.complete(null));
        return true;
    }

    /** Waits until it is closed, for a second at most. */
    void awaitClosed() {
        try {
            end.get(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            System.getLogger(RegistryConnection.class.getName())
                    .log(Level.DEBUG, "Ignored: a connection stays open", e);
        }
    }
}
