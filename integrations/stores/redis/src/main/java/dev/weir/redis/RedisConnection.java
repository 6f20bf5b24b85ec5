package dev.weir.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * One connection, which is used until it is lost: what was sent is never sent again. Lettuce would connect again by itself, after a
 * delay that grows to half a minute, and keep requests until then. Thread-safe; only {@link #begin} and the commands of
 * {@link #sync} block.
 */
final class RedisConnection<K, V> {
    private final StatefulRedisConnection<K, V> connection;
    private final List<StatefulConnection<?, ?>> all;
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** {@code beside}: others, which are closed when this one is lost, and the other way round. */
    RedisConnection(StatefulRedisConnection<K, V> connection, StatefulConnection<?, ?>... beside) {
        this.connection = connection;
        all = Stream.concat(Stream.of(connection), Stream.of(beside)).toList();
        all.forEach(each -> each.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                close();
            }

            @Override
            public void onRedisExceptionCaught(RedisChannelHandler<?, ?> handler, Throwable failure) {
                close();
            }
        }));
        if (!isOpen()) {
            close();
        }
    }

    /** Runs the first commands; closes it if they fail. */
    void begin(Runnable first) {
        try {
            first.run();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    RedisAsyncCommands<K, V> async() {
        return connection.async();
    }

    RedisCommands<K, V> sync() {
        return connection.sync();
    }

    boolean isOpen() {
        return !lost.isDone() && all.stream().allMatch(StatefulConnection::isOpen);
    }

    /** Completes when it is lost or closed. */
    CompletionStage<Void> lost() {
        return lost;
    }

    /** Closes it: commands that are not answered fail. Has no effect the second time. */
    void close() {
        if (lost.complete(null)) {
            CompletableFuture<Void> unused = CompletableFuture.allOf(
                            all.stream().map(StatefulConnection::closeAsync).toArray(CompletableFuture[]::new))
                    .whenComplete((done, failure) -> ended.complete(null));
        }
    }

    /** Completes when the client knows nothing of it any more. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** A copy, with a bound on how long a server may take to greet. Lettuce's builder does not copy Sentinels. */
    static RedisURI bounded(RedisURI server, Duration most) {
        RedisURI copy = new RedisURI();
        copy.setHost(server.getHost());
        copy.setPort(server.getPort());
        copy.setSocket(server.getSocket());
        copy.setSentinelMasterId(server.getSentinelMasterId());
        copy.getSentinels().addAll(server.getSentinels());
        copy.setDatabase(server.getDatabase());
        copy.setClientName(server.getClientName());
        copy.setLibraryName(server.getLibraryName());
        copy.setLibraryVersion(server.getLibraryVersion());
        copy.applyAuthentication(server);
        copy.applySsl(server);
        copy.setTimeout(most);
        return copy;
    }
}
