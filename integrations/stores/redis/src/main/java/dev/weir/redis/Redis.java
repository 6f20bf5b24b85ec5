package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A client of Redis 5 or newer, or of Valkey, for limits: of one server, of the master that Sentinels name, or of a
 * Cluster. It has connections of its own, one to each master, which it makes again within 100 ms when they are lost,
 * and on which nothing is ever sent a second time. A server that was started again, or that took the place of another,
 * counts buckets that it does not know as used up; windows, quotas and bans begin unused.
 *
 * <p>Settings of a server with which it cannot count are logged as warnings. Thread-safe.
 */
public final class Redis implements AutoCloseable {
    private static final String CLUSTER = "redis-cluster://";
    private static final Duration FIRST = Duration.ofSeconds(2);
    private static final Duration CONNECT = Duration.ofSeconds(1);
    private static final int QUEUE = 100_000;
    private static final byte[] PING = "{weir:ping}".getBytes(US_ASCII);

    private final Scripts scripts;
    private final Supplier<? extends CompletionStage<?>> ping;
    private final Runnable close;

    private Redis(Scripts scripts, Supplier<? extends CompletionStage<?>> ping, Runnable close) {
        this.scripts = scripts;
        this.ping = ping;
        this.close = close;
    }

    /**
     * One server, or the master that Sentinels name. Waits up to two seconds for the first connection; if there is none then, it
     * goes on trying, and limits do until then what they do when Redis is away.
     *
     * @param client of which the settings and the threads are used; it stays open. What it has to say of reconnecting, of
     *     time-outs of commands and of its queue does not matter
     */
    public static Redis of(RedisClient client, RedisURI server) {
        return of(client, server, () -> {});
    }

    private static Redis of(RedisClient client, RedisURI server, Runnable close) {
        RedisClient own = RedisClient.create(client.getResources());
        own.setOptions(withoutReplay(client.getOptions()));
        RedisNode node = RedisNode.first(own, server, new RedisWarnings(false), () -> {});
        await(node.connected());
        return new Redis(node, () -> node.ping(PING), () -> {
            await(node.close());
            shutdown(own);
            close.run();
        });
    }

    /**
     * A Cluster. Waits up to two seconds until all slots are served, as {@link #of(RedisClient, RedisURI)} does. While one of
     * the masters does not answer, Redis as a whole counts as away once a limit has noticed.
     *
     * @param client of which the settings and the threads are used, and which finds the first nodes; it stays open
     */
    public static Redis of(RedisClusterClient client) {
        return of(client, () -> {});
    }

    private static Redis of(RedisClusterClient client, Runnable close) {
        RedisClient own = RedisClient.create(client.getResources());
        own.setOptions(withoutReplay(client.getOptions()));
        RedisSlots slots = RedisSlots.of(
                own, () -> client.refreshPartitionsAsync().thenApply(refreshed -> client.getPartitions()));
        await(slots.connected());
        return new Redis(slots, slots::ping, () -> {
            await(slots.close());
            shutdown(own);
            close.run();
        });
    }

    /**
     * With a client of its own, which is closed with it. Waits as the other methods do.
     *
     * @param uri {@code "redis://host:6379"}, {@code "redis-sentinel://host1:26379,host2:26379#master"}, or
     *     {@code "redis-cluster://host1:6379,host2:6379"}, with some of the nodes of a cluster
     * @throws IllegalArgumentException if it is none of them
     */
    public static Redis connect(String uri) {
        Objects.requireNonNull(uri, "uri");
        if (uri.startsWith(CLUSTER)) {
            RedisClusterClient client = RedisClusterClient.create(
                    RedisClusterURIUtil.toRedisURIs(URI.create("redis://" + uri.substring(CLUSTER.length()))).stream()
                            .map(node -> bounded(node, FIRST))
                            .toList());
            return of(client, () -> client.shutdown(0, 2, TimeUnit.SECONDS));
        }
        RedisURI server = RedisURI.create(uri);
        RedisClient client = RedisClient.create();
        return of(client, server, () -> shutdown(client));
    }

    private static ClientOptions withoutReplay(ClientOptions options) {
        return options.mutate()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(QUEUE)
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(options.getSocketOptions()
                        .mutate()
                        .connectTimeout(CONNECT)
                        .build())
                .build();
    }

    /** A client of one server or of Sentinels. It does not connect again by itself, and waits no longer than this for anything. */
    static RedisClient client(RedisURI server, Duration most) {
        RedisClient client = RedisClient.create(bounded(server, most));
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .socketOptions(SocketOptions.builder().connectTimeout(most).build())
                .timeoutOptions(TimeoutOptions.enabled(most))
                .build());
        return client;
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

    /** Waits for two seconds at most. */
    static void await(CompletionStage<Void> done) {
        try {
            done.toCompletableFuture().get(FIRST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            return; // It goes on trying to connect, or is closed by the client.
        }
    }

    private static void shutdown(RedisClient client) {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    Scripts scripts() {
        return scripts;
    }

    /** Completes normally if all masters answer and would count. */
    CompletionStage<?> ping() {
        return ping.get();
    }

    /** Closes the connections: what limits have asked for and what they will ask for fails, as when Redis is away. */
    @Override
    public void close() {
        close.run();
    }
}
