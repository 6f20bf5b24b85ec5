package dev.weir.redis;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One server, or the one that Sentinels name: connected, and connected again when the connection is lost, until closed.
 * Thread-safe; no method blocks.
 */
final class RedisNode implements Scripts {
    /** For the connection and the greeting: a process that starts, and a network, may be slow. */
    private static final Duration MOST = Duration.ofSeconds(2);

    /** No server has it. */
    private static final String ANOTHER = "?";

    private final RedisClient client;
    private final RedisURI server;
    private final int number;
    private final RedisWarnings warnings;
    private final Runnable changed;
    private final CompletableFuture<Void> connected = new CompletableFuture<>();

    /* May be late: then a server that lost nothing counts as another, and what it does not have as used up. */
    private volatile String runId;
    private volatile @Nullable RedisLink link;
    /* Written before the connection is closed, read after one was set: one of the two closes it. */
    private volatile boolean closed;

    private RedisNode(
            RedisClient client, RedisURI server, int number, String runId, RedisWarnings warnings, Runnable changed) {
        this.client = client;
        this.server = server;
        this.number = number;
        this.runId = runId;
        this.warnings = warnings;
        this.changed = changed;
    }

    /** The first server: what it has was not lost. {@code changed} is called when the connection is lost or made. */
    static RedisNode first(RedisClient client, RedisURI server, int number, RedisWarnings warnings, Runnable changed) {
        RedisNode node = new RedisNode(client, server, number, "", warnings, changed);
        node.connect();
        return node;
    }

    /** A server that took the place of another, of which it may not have all. */
    static RedisNode successor(
            RedisClient client, RedisURI server, int number, RedisWarnings warnings, Runnable changed) {
        RedisNode node = new RedisNode(client, server, number, ANOTHER, warnings, changed);
        node.connect();
        return node;
    }

    /** Completes when it was connected for the first time. */
    CompletionStage<Void> connected() {
        return connected;
    }

    /** By which its cluster tells it from the others. */
    int number() {
        return number;
    }

    String address() {
        return server.getHost() + ":" + server.getPort();
    }

    boolean isConnected() {
        return link != null;
    }

    private void connect() {
        Attempts.begin(Alarm.system(), new Connector());
    }

    private final class Connector implements Attempts.Connector<RedisLink> {
        @Override
        public CompletionStage<RedisLink> connect() {
            try {
                return RedisLink.connect(client, RedisLink.bounded(server, MOST))
                        .thenApply(RedisNode.this::checked);
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void use(RedisLink made) {
            RedisNode.this.use(made);
        }

        @Override
        public void discard(RedisLink made) {
            made.close();
        }

        @Override
        public boolean isClosed() {
            return closed;
        }
    }

    private RedisLink checked(RedisLink made) {
        warnings.check(made.info());
        if (made.isReplica()) {
            runId = ANOTHER;
            made.close();
            throw new IllegalStateException("the server is a replica");
        }
        return made;
    }

    /* An attempt that met a replica may write ANOTHER after this one has read or written runId: then a server that lost
    nothing counts as another the next time, and what it does not have as used up. */
    private void use(RedisLink made) {
        String now = made.info().runId();
        if (!runId.isEmpty() && !runId.equals(now)) {
            made.startUsedUp();
        }
        runId = now.isEmpty() ? ANOTHER : now;
        link = made;
        if (closed) {
            made.close();
        }
        connected.complete(null);
        changed.run();
        made.lost().thenRun(() -> {
            link = null;
            runId = made.isReplica() ? ANOTHER : runId;
            changed.run();
            connect();
        });
    }

    @Override
    public CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments) {
        return run(script, keys, arguments, false);
    }

    /** See {@link RedisLink#run}. */
    CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments, boolean asking) {
        return with(current -> current.run(script, keys, arguments, asking));
    }

    /** Completes normally if the server would count at this key. */
    CompletionStage<?> ping(byte[] key) {
        return with(current -> current.ping(key, Ticker.system()));
    }

    CompletionStage<String> clusterNodes() {
        return with(RedisLink::clusterNodes);
    }

    private <T> CompletionStage<T> with(Function<RedisLink, ? extends CompletionStage<T>> action) {
        RedisLink current = link;
        if (current == null) {
            return CompletableFuture.failedFuture(new NotCountedException("Redis is not connected"));
        }
        try {
            return action.apply(current);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Completes when the connection is closed. */
    CompletableFuture<Void> close() {
        closed = true;
        RedisLink last = link;
        if (last == null) {
            return CompletableFuture.completedFuture(null);
        }
        last.close();
        return last.ended();
    }
}
