package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One server, or the one that Sentinels name: connected, and connected again when the connection is lost, until closed.
 * Thread-safe; no method blocks.
 */
final class RedisNode implements Servers {
    /** For the connection and the greeting: a process that starts, and a network, may be slow. */
    private static final Duration MOST = Duration.ofSeconds(2);

    private static final long STUCK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NONE = Long.MIN_VALUE;
    private static final int SINCE = 2;
    private static final byte[][] NO_ARGUMENTS = {};

    /** Fails whenever a decision would: it writes. */
    private static final String PING = "return redis.call('SET', KEYS[1], '', 'PX', 1)";

    private static final byte[] PING_KEY = "{weir:ping}".getBytes(US_ASCII);

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
    private volatile @Nullable RedisConnection<byte[], byte[]> connection;
    /* From when on keys that do not exist count as used up, as an argument; empty if no key was lost. */
    private volatile byte[] since = {};
    /* The reading at which the first ping without an answer was sent; NONE. */
    private final AtomicLong unanswered = new AtomicLong(NONE);
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

    /**
     * A server that is being connected.
     *
     * @param isFirst whether what it has was not lost; otherwise it took the place of another, of which it may not have all
     * @param changed called when the connection is lost or made
     */
    static RedisNode of(
            RedisClient client,
            RedisURI server,
            int number,
            boolean isFirst,
            RedisWarnings warnings,
            Runnable changed) {
        RedisNode node = new RedisNode(client, server, number, isFirst ? "" : ANOTHER, warnings, changed);
        node.connect();
        return node;
    }

    @Override
    public CompletionStage<Void> connected() {
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
        return connection != null;
    }

    private void connect() {
        Attempts.begin(Alarm.system(), new Connector());
    }

    /** A connection, and what the server said when it was made: its properties, and its time in microseconds. */
    private record Greeted(RedisConnection<byte[], byte[]> connection, ServerInfo info, long micros) {}

    private final class Connector implements Attempts.Connector<Greeted> {
        @Override
        public CompletionStage<Greeted> connect() {
            try {
                return client.connectAsync(ByteArrayCodec.INSTANCE, RedisConnection.bounded(server, MOST))
                        .thenCompose(made -> greeted(new RedisConnection<>(made)))
                        .thenApply(this::checked);
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private Greeted checked(Greeted made) {
            warnings.check(made.info());
            if (made.info().isReplica()) {
                runId = ANOTHER;
                made.connection().close();
                throw new IllegalStateException("the server is a replica");
            }
            return made;
        }

        /* An attempt that met a replica may write ANOTHER after this one has read or written runId: then a server that lost
        nothing counts as another the next time, and what it does not have as used up. */
        @Override
        public void use(Greeted made) {
            String now = made.info().runId();
            boolean isAnother = !runId.isEmpty() && !runId.equals(now);
            since = isAnother ? Long.toString(made.micros()).getBytes(US_ASCII) : new byte[0];
            runId = now.isEmpty() ? ANOTHER : now;
            unanswered.set(NONE);
            connection = made.connection();
            if (closed) {
                made.connection().close();
            }
            connected.complete(null);
            changed.run();
            made.connection().lost().thenRun(() -> {
                connection = null;
                changed.run();
                RedisNode.this.connect();
            });
        }

        @Override
        public void discard(Greeted made) {
            made.connection().close();
        }

        @Override
        public boolean isClosed() {
            return closed;
        }
    }

    private static CompletionStage<Greeted> greeted(RedisConnection<byte[], byte[]> made) {
        CompletionStage<ServerInfo> said = made.async()
                .info()
                .handle((text, refused) -> refused == null ? ServerInfo.of(text) : ServerInfo.UNKNOWN);
        return said.thenCombine(
                        made.async().time(),
                        (info, time) -> new Greeted(made, info, number(time.get(0)) * 1_000_000 + number(time.get(1))))
                .toCompletableFuture()
                .orTimeout(MOST.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((greeted, failure) -> {
                    if (failure != null) {
                        made.close();
                    }
                });
    }

    private static long number(byte[] text) {
        return Long.parseLong(new String(text, US_ASCII));
    }

    @Override
    public CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments) {
        return run(script, keys, arguments, false);
    }

    /** See {@link Script#run}. */
    CompletionStage<List<Object>> run(Script script, List<byte[]> keys, List<byte[]> arguments, boolean asking) {
        return with(current -> {
            byte[][] names = keys.toArray(NO_ARGUMENTS);
            byte[][] values = arguments.toArray(NO_ARGUMENTS);
            byte[] usedUp = since;
            if (usedUp.length > 0) {
                values[SINCE] = usedUp;
            }
            CompletableFuture<List<Object>> result = new CompletableFuture<>();
            script.run(current.async(), names, values, asking, (reply, failure) -> {
                if (failure != null) {
                    closeIfReplica(current, failure);
                    result.completeExceptionally(failure);
                } else if (reply != null && isReply(reply, names.length > 1)) {
                    result.complete(reply);
                } else {
                    current.close(); // Later answers may be those to other commands.
                    result.completeExceptionally(new IllegalStateException("a script answered " + reply));
                }
            });
            return result;
        });
    }

    private static boolean isReply(List<Object> reply, boolean mayHaveTexts) {
        for (Object each : reply) {
            if (!(each instanceof Long) && !(mayHaveTexts && each instanceof byte[])) {
                return false;
            }
        }
        return true;
    }

    /* Sentinels name another server, or this one is a master again later. */
    private void closeIfReplica(RedisConnection<?, ?> to, Throwable failure) {
        if (RedisError.READONLY.is(failure)) {
            runId = ANOTHER;
            to.close();
        }
    }

    /**
     * Completes normally if the server would count at this key. Closes a connection which has not answered pings for half a second.
     */
    CompletionStage<?> ping(byte[] key) {
        return with(current -> {
            long now = Ticker.system().read();
            long sent = unanswered.get();
            if (sent == NONE) {
                unanswered.compareAndSet(NONE, now);
            } else if (now - sent > STUCK_NANOS) {
                current.close();
            }
            return current.async()
                    .eval(PING, ScriptOutputType.STATUS, new byte[][] {key}, NO_ARGUMENTS)
                    .whenComplete((reply, failure) -> {
                        unanswered.set(NONE);
                        if (failure != null) {
                            closeIfReplica(current, failure);
                        }
                    });
        });
    }

    @Override
    public CompletionStage<?> ping() {
        return ping(PING_KEY);
    }

    CompletionStage<String> clusterNodes() {
        return with(current -> current.async().clusterNodes());
    }

    private <T> CompletionStage<T> with(Function<RedisConnection<byte[], byte[]>, CompletionStage<T>> action) {
        RedisConnection<byte[], byte[]> current = connection;
        if (current == null) {
            return CompletableFuture.failedFuture(new NotCountedException("Redis is not connected"));
        }
        try {
            return action.apply(current);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<Void> close() {
        closed = true;
        RedisConnection<?, ?> last = connection;
        if (last == null) {
            return CompletableFuture.completedFuture(null);
        }
        last.close();
        return last.ended();
    }
}
