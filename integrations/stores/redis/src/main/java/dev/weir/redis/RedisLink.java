package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.Ticker;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One connection, which is used until it is lost: what was sent is never sent again. Thread-safe; no method blocks.
 */
final class RedisLink {
    private static final int SINCE = 2;
    private static final long STUCK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NONE = Long.MIN_VALUE;
    private static final byte[][] NO_ARGUMENTS = {};

    /** Fails whenever a decision would: it writes. */
    private static final String PING = "return redis.call('SET', KEYS[1], '', 'PX', 1)";

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final RedisAsyncCommands<byte[], byte[]> commands;
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** The reading at which the first ping without an answer was sent; {@code NONE}. */
    private final AtomicLong unanswered = new AtomicLong(NONE);

    /* Written, like what follows, before the node publishes the connection. */
    private volatile ServerInfo info = ServerInfo.UNKNOWN;
    private volatile long micros;
    private volatile boolean replica;
    private volatile byte[] since = {};

    private RedisLink(StatefulRedisConnection<byte[], byte[]> connection) {
        this.connection = connection;
        commands = connection.async();
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                close();
            }

            @Override
            public void onRedisExceptionCaught(RedisChannelHandler<?, ?> handler, Throwable failure) {
                close();
            }
        });
        if (!connection.isOpen()) {
            close();
        }
    }

    /** A connection, when the server has said what it is. */
    static CompletionStage<RedisLink> connect(RedisClient client, RedisURI server) {
        return client.connectAsync(ByteArrayCodec.INSTANCE, server)
                .toCompletableFuture()
                .thenCompose(connection -> new RedisLink(connection).introduced(server.getTimeout()));
    }

    private CompletionStage<RedisLink> introduced(Duration most) {
        CompletionStage<ServerInfo> said =
                commands.info().handle((text, refused) -> refused == null ? ServerInfo.of(text) : ServerInfo.UNKNOWN);
        return said.thenCombine(commands.time(), (server, time) -> {
                    info = server;
                    micros = number(time.get(0)) * 1_000_000 + number(time.get(1));
                    return this;
                })
                .toCompletableFuture()
                .orTimeout(most.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((made, failure) -> {
                    if (failure != null) {
                        close();
                    }
                });
    }

    private static long number(byte[] text) {
        return Long.parseLong(new String(text, US_ASCII));
    }

    /** What the server said of itself when it was connected. */
    ServerInfo info() {
        return info;
    }

    /** Whether the server has become a replica, which has what its master has. */
    boolean isReplica() {
        return replica || info.isReplica();
    }

    /** Keys that do not exist count as used up since this connection was made. */
    void startUsedUp() {
        since = Long.toString(micros).getBytes(US_ASCII);
    }

    /** Completes when the connection is lost or closed. */
    CompletionStage<Void> lost() {
        return lost;
    }

    /**
     * Runs a script; sends it whole if the server does not have it.
     *
     * @param asking this node of a cluster is about to get the slot of the key from another
     */
    CompletionStage<List<Long>> run(Script script, byte[] key, List<byte[]> arguments, boolean asking) {
        byte[][] keys = {key};
        byte[][] values = arguments.toArray(NO_ARGUMENTS);
        if (since.length > 0) {
            values[SINCE] = since;
        }
        CompletableFuture<List<Long>> result = new CompletableFuture<>();
        ask(asking);
        commands.<List<Object>>evalsha(script.sha(), ScriptOutputType.MULTI, keys, values)
                .whenComplete((reply, failure) -> {
                    if (failure instanceof RedisNoScriptException) {
                        ask(asking);
                        commands.<List<Object>>eval(script.text(), ScriptOutputType.MULTI, keys, values)
                                .whenComplete((second, thrown) -> complete(result, second, thrown));
                    } else {
                        complete(result, reply, failure);
                    }
                });
        return result;
    }

    private void ask(boolean asking) {
        if (asking) {
            RedisFuture<String> unused = commands.asking();
        }
    }

    private void complete(CompletableFuture<List<Long>> result, List<Object> reply, Throwable failure) {
        if (failure == null && reply != null && reply.stream().allMatch(Long.class::isInstance)) {
            result.complete(reply.stream().map(Long.class::cast).toList());
            return;
        }
        closeIfReplica(failure);
        if (failure == null) {
            close(); // Later answers may be those to other commands.
        }
        result.completeExceptionally(
                failure != null ? failure : new IllegalStateException("a script answered " + reply));
    }

    /* Sentinels name another server, or this one is a master again later. */
    private void closeIfReplica(@Nullable Throwable failure) {
        if (failure != null && RedisError.READONLY.is(failure)) {
            replica = true;
            close();
        }
    }

    /** Completes normally if the server would count. Closes a connection which has not answered for half a second. */
    CompletionStage<?> ping(byte[] key, Ticker ticker) {
        long now = ticker.read();
        long sent = unanswered.get();
        if (sent == NONE) {
            unanswered.compareAndSet(NONE, now);
        } else if (now - sent > STUCK_NANOS) {
            close();
        }
        return commands.<Object>eval(PING, ScriptOutputType.STATUS, new byte[][] {key}, NO_ARGUMENTS)
                .whenComplete((reply, failure) -> {
                    unanswered.set(NONE);
                    closeIfReplica(failure);
                });
    }

    CompletionStage<String> clusterNodes() {
        return commands.clusterNodes();
    }

    /** What was sent and is not answered fails. Has no effect the second time. */
    void close() {
        if (lost.complete(null)) {
            CompletableFuture<Void> unused =
                    connection.closeAsync().whenComplete((done, failure) -> ended.complete(null));
        }
    }

    /** Completes when the client knows nothing of the connection any more. */
    CompletableFuture<Void> ended() {
        return ended;
    }
}
