package dev.weir.redis;

import dev.weir.Ticker;
import dev.weir.store.lease.LeaseStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

    private final Servers servers;
    private final Messages messages;
    private final RateCalls calls;
    private final Runnable shutdown;

    private Redis(Servers servers, Messages messages, Runnable shutdown) {
        this.servers = servers;
        this.messages = messages;
        this.calls = new RateCalls(servers, Ticker.system());
        this.shutdown = shutdown;
    }

    /**
     * One server, or the master that Sentinels name. Waits up to two seconds for the first connection, for the scripts to be loaded and
     * for the first round trips; if there is no connection then, it
     * goes on trying, and limits do until then what they do when Redis is away.
     *
     * @param client of which the settings and the threads are used; it stays open. What it has to say of reconnecting, of
     *     time-outs of commands and of its queue does not matter
     */
    public static Redis of(RedisClient client, RedisURI server) {
        return of(client, server, () -> {});
    }

    private static Redis of(RedisClient client, RedisURI server, Runnable close) {
        RedisClient own = own(client.getResources(), client.getOptions());
        RedisNode node = RedisNode.of(own, server, 0, true, new RedisWarnings(false), () -> {});
        Messages messages =
                new Messages(() -> own.connectPubSubAsync(StringCodec.UTF8, RedisConnection.bounded(server, FIRST)));
        return ready(node, messages, own, close);
    }

    /**
     * A Cluster. Waits up to two seconds until all slots are served, as {@link #of(RedisClient, RedisURI)} does. A master that
     * does not answer counts as away by itself: only requests with keys in its slots are decided without Redis. With the setting
     * {@code cluster-require-full-coverage yes} the other masters refuse to serve too when they have noticed, until a replica has taken
     * its place; {@code no} keeps them serving.
     *
     * @param client of which the settings and the threads are used, and which finds the first nodes; it stays open
     */
    public static Redis of(RedisClusterClient client) {
        return of(client, () -> {});
    }

    private static Redis of(RedisClusterClient client, Runnable close) {
        RedisClient own = own(client.getResources(), client.getOptions());
        RedisSlots slots = RedisSlots.of(
                own, () -> client.refreshPartitionsAsync().thenApply(refreshed -> client.getPartitions()));
        Messages messages = new Messages(() ->
                own.connectPubSubAsync(StringCodec.UTF8, RedisConnection.bounded(any(client.getPartitions()), FIRST)));
        return ready(slots, messages, own, close);
    }

    /* A message reaches all nodes. */
    private static RedisURI any(Partitions partitions) {
        return partitions
                .getPartition(ThreadLocalRandom.current().nextInt(partitions.size()))
                .getUri();
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
                            .map(node -> RedisConnection.bounded(node, FIRST))
                            .toList());
            return of(client, () -> client.shutdown(0, 2, TimeUnit.SECONDS));
        }
        RedisURI server = RedisURI.create(uri);
        RedisClient client = RedisClient.create();
        return of(client, server, () -> shutdown(client));
    }

    /** A client that sends nothing a second time. */
    private static RedisClient own(ClientResources resources, ClientOptions options) {
        RedisClient own = RedisClient.create(resources);
        own.setOptions(options.mutate()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(QUEUE)
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(options.getSocketOptions()
                        .mutate()
                        .connectTimeout(CONNECT)
                        .build())
                .build());
        return own;
    }

    /** A client of one server or of Sentinels. It does not connect again by itself, and waits no longer than this for anything. */
    static RedisClient client(RedisURI server, Duration most) {
        RedisClient client = RedisClient.create(RedisConnection.bounded(server, most));
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .socketOptions(SocketOptions.builder().connectTimeout(most).build())
                .timeoutOptions(TimeoutOptions.enabled(most))
                .build());
        return client;
    }

    /** Returns once they are connected and have decided something, but after two seconds in any case. */
    private static Redis ready(Servers servers, Messages messages, RedisClient own, Runnable close) {
        Redis made = new Redis(servers, messages, () -> {
            shutdown(own);
            close.run();
        });
        long begun = Ticker.system().read();
        await(servers.connected());
        Duration left = FIRST.minusNanos(Ticker.system().read() - begun);
        if (servers.connected().toCompletableFuture().isDone() && !left.isNegative() && !left.isZero()) {
            FirstCommands.of(made, left);
        }
        return made;
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

    static void shutdown(RedisClient client) {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    Servers servers() {
        return servers;
    }

    /**
     * The leases of semaphores that this counts: {@code StoreSemaphore.builder(name, spec, redis.leases(), whenAway)}. A server that
     * was started again, or that took the place of another, accepts renewals only until one lease has passed. Needs no closing.
     */
    public LeaseStore leases() {
        return new RedisLeases(servers, messages);
    }

    RateCalls calls() {
        return calls;
    }

    /** Closes the connections: what limits have asked for and what they will ask for fails, as when Redis is away. */
    @Override
    public void close() {
        await(messages.close());
        await(servers.close());
        shutdown.run();
    }
}
