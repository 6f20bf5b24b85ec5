package dev.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One server, or the one that Sentinels name, for callers that wait: connected by the first request, and again by the first one
 * after the connection was lost, until closed. So callers decide how often it is tried, and learn why it failed. Thread-safe.
 */
final class BlockingNode<K, V> {
    private final String name;
    private final Supplier<RedisConnection<K, V>> connector;
    private final Runnable lost;
    private final Lock connecting = new ReentrantLock();
    /* Written before the connection is closed, read after one was set: one of the two closes it. */
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable RedisConnection<K, V> connection;

    /**
     * A server to which nothing is connected yet.
     *
     * @param name what the messages of failures call it
     * @param connector blocks, for a bounded time; throws if it fails
     * @param lost is called when the connection is lost or closed
     */
    BlockingNode(String name, Supplier<RedisConnection<K, V>> connector, Runnable lost) {
        this.name = name;
        this.connector = connector;
        this.lost = lost;
    }

    boolean isClosed() {
        return closed.get();
    }

    /**
     * @throws IllegalStateException if it is closed
     */
    void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    /** The connection, once there is one. Throws what the connector throws. */
    RedisConnection<K, V> connection() {
        RedisConnection<K, V> current;
        boolean isNew = false;
        connecting.lock();
        try {
            checkOpen();
            current = connection;
            if (current == null || !current.isOpen()) {
                isNew = true;
                current = connector.get();
                connection = current;
            }
        } finally {
            connecting.unlock();
        }
        if (isNew) {
            current.lost().thenRun(lost);
        }
        if (closed.get()) {
            current.close();
            checkOpen();
        }
        return current;
    }

    /**
     * Waits for the answer. The connection is not used again after a failure that is no answer, or if the server refuses to write: it
     * may not be the primary any more.
     */
    <T> T request(Function<RedisConnection<K, V>, T> command) {
        RedisConnection<K, V> current = connection();
        try {
            return command.apply(current);
        } catch (RuntimeException e) {
            if (!(e instanceof RedisCommandExecutionException) || RedisError.READONLY.is(e)) {
                current.close();
            }
            throw e;
        }
    }

    /**
     * Ends requests that wait. If there is a connection, sends the last command before, and waits for its answer for a second.
     *
     * @return false if it was closed before
     */
    boolean close(Function<RedisAsyncCommands<K, V>, @Nullable RedisFuture<?>> last) {
        if (!closed.compareAndSet(false, true)) {
            return false;
        }
        RedisConnection<K, V> current = connection;
        if (current != null) {
            if (current.isOpen()) {
                await(last.apply(current.async()));
            }
            current.close();
            Redis.await(current.ended());
        }
        return true;
    }

    private static void await(@Nullable RedisFuture<?> answer) {
        try {
            boolean unused = answer == null || answer.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
