package dev.weir.redis;

import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection for messages, which is made once somebody listens, and again when it is lost, until closed. Thread-safe; no method blocks.
 */
final class Messages implements Channels {
    /*
     * A channel is put into `listeners` before `connection` is read, and `connection` is set before `listeners` is read: one of the two
     * subscribes, or both, which is the same. `use` looks again after it has subscribed, because the channel may be left meanwhile:
     *
     *     use                                 the registration is closed
     *     reads the channel in listeners
     *                                         removes it, unsubscribes
     *     subscribes
     *     it is gone: unsubscribes
     *
     * A connection is in `connection` before its loss can be noticed. So the next one, which is made because of the loss, comes later:
     *
     *     use(old)                            the thread that notices its loss
     *     connection := old
     *     listens for a loss
     *                                         connection := null, connects
     *                                         use(new): connection := new
     *     subscribes at old, which fails
     */
    private final Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<String, String>>> connecting;
    private final Map<String, Runnable> listeners = new ConcurrentHashMap<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private volatile boolean closed;

    /** {@code connecting} makes a connection that does not connect again by itself. */
    Messages(Supplier<? extends CompletionStage<StatefulRedisPubSubConnection<String, String>>> connecting) {
        this.connecting = connecting;
    }

    @Override
    public Registration listen(String channel, Runnable told) {
        listeners.put(channel, told);
        StatefulRedisPubSubConnection<String, String> current = connection;
        if (current != null) {
            subscribe(current, channel);
        } else if (begun.compareAndSet(false, true)) {
            connect();
        }
        return () -> {
            boolean isLeft = listeners.remove(channel) != null;
            StatefulRedisPubSubConnection<String, String> last = connection;
            if (isLeft && last != null) {
                unsubscribe(last, channel);
            }
        };
    }

    /* If the server refuses, nothing is told. */
    private void subscribe(StatefulRedisPubSubConnection<String, String> to, String channel) {
        RedisFuture<Void> unused = to.async().subscribe(channel);
        if (!listeners.containsKey(channel)) {
            unsubscribe(to, channel);
        }
    }

    private static void unsubscribe(StatefulRedisPubSubConnection<String, String> from, String channel) {
        RedisFuture<Void> unused = from.async().unsubscribe(channel);
    }

    private void told(String channel) {
        Runnable listener = listeners.get(channel);
        if (listener != null) {
            listener.run();
        }
    }

    private void connect() {
        Attempts.begin(Alarm.system(), new Connector());
    }

    private final class Connector implements Attempts.Connector<StatefulRedisPubSubConnection<String, String>> {
        @Override
        public CompletionStage<StatefulRedisPubSubConnection<String, String>> connect() {
            try {
                return connecting.get();
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void use(StatefulRedisPubSubConnection<String, String> made) {
            Messages.this.use(made);
        }

        @Override
        public void discard(StatefulRedisPubSubConnection<String, String> made) {
            CompletableFuture<Void> unused = made.closeAsync();
        }

        @Override
        public boolean isClosed() {
            return closed;
        }
    }

    private void use(StatefulRedisPubSubConnection<String, String> made) {
        AtomicBoolean lost = new AtomicBoolean();
        Runnable onLoss = () -> {
            if (lost.compareAndSet(false, true)) {
                connection = null;
                CompletableFuture<Void> unused = made.closeAsync();
                connect();
            }
        };
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                told(channel);
            }

            @Override
            public void subscribed(String channel, long count) {
                told(channel);
            }
        });
        connection = made;
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                onLoss.run();
            }
        });
        listeners.keySet().forEach(channel -> subscribe(made, channel));
        if (closed || !made.isOpen()) {
            onLoss.run();
        }
    }

    /** Completes when the connection is closed. */
    CompletableFuture<Void> close() {
        closed = true;
        StatefulRedisPubSubConnection<String, String> last = connection;
        return last == null ? CompletableFuture.completedFuture(null) : last.closeAsync();
    }
}
