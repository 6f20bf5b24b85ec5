package dev.weir.redis;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A source of a document in the string at one key of Redis 6 or newer, or of Valkey. The server tells of each change of
 * a key that was read (client-side caching), by any client and any command, with no setting at the server. Besides, the
 * key is read every five seconds, and every second where the server or a proxy does not offer that.
 *
 * <p>Each instance writes what it runs to a field of the hash {@code KEY:status}, renews it with each reading, and is not
 * listed any more 15 seconds after the last. A reading has no revision. The format follows the end of the key, see
 * {@link Format#of}. Thread-safe. Each call blocks for at most ten seconds.
 */
public final class RedisSource implements ConfigSource {
    static final Duration TIMEOUT = Duration.ofSeconds(3);

    private static final Duration TRACKED = Duration.ofSeconds(5);
    private static final Duration NOT_TRACKED = Duration.ofSeconds(1);
    private static final long SHUTDOWN_SECONDS = 2;

    private final RedisClient client;
    private final boolean owned;
    private final String key;
    private final Map<String, InstanceStatus> statuses = new ConcurrentHashMap<>();
    private final Object connecting = new Object();
    private volatile Runnable changed = () -> {};
    /* Written before the connection is closed, read after one was made: one of the two closes it. */
    private volatile boolean closed;
    private volatile @Nullable RedisConnection connection;

    private RedisSource(RedisClient client, boolean owned, String key) {
        this.client = client;
        this.owned = owned;
        this.key = Objects.requireNonNull(key, "key");
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key must not be empty");
        }
    }

    /**
     * A source with one connection of a client, which stays open when the source is closed. To connect takes as long as the
     * client's settings allow.
     *
     * @param client made with the URI of the server, or of Sentinels
     * @param key {@code "shop:limits.yaml"}; it need not exist
     * @throws IllegalArgumentException if the key is empty
     */
    public static RedisSource of(RedisClient client, String key) {
        return new RedisSource(Objects.requireNonNull(client, "client"), false, key);
    }

    /**
     * A source with a client that is closed with it.
     *
     * @param key {@code "shop:limits.yaml"}; it need not exist
     * @throws IllegalArgumentException if the key is empty
     */
    public static RedisSource connect(RedisURI server, String key) {
        return new RedisSource(Redis.client(server, TIMEOUT), true, key);
    }

    /** {@code "redis:shop:limits.yaml"}. */
    @Override
    public String name() {
        return "redis:" + key;
    }

    @Override
    public Reading read() throws Exception {
        RedisConnection current = connection();
        byte[] value;
        try {
            value = current.get(key);
        } catch (RedisCommandExecutionException e) {
            throw e;
        } catch (Exception e) {
            drop(current);
            throw e;
        }
        for (InstanceStatus status : statuses.values()) {
            RedisFuture<Long> unused = current.renew(statusKey(), status.instance(), status.toJson());
        }
        return value == null
                ? Reading.absent()
                : Reading.of(value, Format.of(key)).whole();
    }

    @Override
    public void watch(Runnable changed) {
        this.changed = Objects.requireNonNull(changed, "changed");
    }

    @Override
    public Duration readEvery() {
        RedisConnection current = connection;
        return current != null && current.isTracked() ? TRACKED : NOT_TRACKED;
    }

    @Override
    public boolean acknowledges() {
        return true;
    }

    @Override
    public void acknowledge(InstanceStatus status) throws Exception {
        statuses.put(status.instance(), status);
        connection().write(statusKey(), status.instance(), status.toJson());
    }

    @Override
    public List<InstanceStatus> statuses() throws Exception {
        List<InstanceStatus> read = new ArrayList<>();
        for (byte[] json : connection().list(statusKey())) {
            try {
                read.add(InstanceStatus.ofJson(new String(json, StandardCharsets.UTF_8)));
            } catch (IllegalArgumentException e) {
                System.getLogger(RedisSource.class.getName()).log(Level.DEBUG, "Ignored: not a status", e);
            }
        }
        return read;
    }

    private String statusKey() {
        return key + ":status";
    }

    private RedisConnection connection() {
        synchronized (connecting) {
            RedisConnection current = connection;
            if (current != null && current.isOpen()) {
                return current;
            }
            if (current != null) {
                drop(current);
            }
            checkOpen();
            RedisConnection made = RedisConnection.of(client, this::signal);
            connection = made;
            if (closed) {
                drop(made);
                checkOpen();
            }
            return made;
        }
    }

    private void drop(RedisConnection failed) {
        if (connection == failed) {
            connection = null;
        }
        failed.close();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(name() + " is closed");
        }
    }

    private void signal() {
        if (!closed) {
            changed.run();
        }
    }

    /** Ends calls that wait. This instance is not listed any more; a client that was given stays open. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        RedisConnection last = connection;
        if (last != null) {
            last.remove(statusKey(), statuses.keySet());
            last.close();
            Redis.await(last.ended());
        }
        if (owned) {
            client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        }
    }
}
