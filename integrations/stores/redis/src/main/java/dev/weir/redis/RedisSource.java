package dev.weir.redis;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

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

    private static final String WRITE = Script.text("status-write");
    private static final String LIST = Script.text("status-list");

    private final RedisClient client;
    private final boolean owned;
    private final String key;
    private final BlockingNode<String, byte[]> node;
    private final Map<String, InstanceStatus> statuses = new ConcurrentHashMap<>();
    private volatile Runnable changed = () -> {};
    private volatile boolean tracked;

    private RedisSource(RedisClient client, boolean owned, String key) {
        this.client = client;
        this.owned = owned;
        this.key = Objects.requireNonNull(key, "key");
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key must not be empty");
        }
        node = new BlockingNode<>(name(), this::connect, this::signal);
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
        byte[] value = node.request(current -> {
            byte[] read = current.sync().get(key);
            for (InstanceStatus status : statuses.values()) {
                RedisFuture<Long> unused = write(current, status);
            }
            return read;
        });
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
        return tracked ? TRACKED : NOT_TRACKED;
    }

    @Override
    public boolean acknowledges() {
        return true;
    }

    @Override
    public void acknowledge(InstanceStatus status) throws Exception {
        statuses.put(status.instance(), status);
        write(node.connection(), status).get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public List<InstanceStatus> statuses() throws Exception {
        List<InstanceStatus> read = new ArrayList<>();
        List<byte[]> listed = node.connection().sync().eval(LIST, ScriptOutputType.MULTI, statusKeys());
        for (byte[] json : listed) {
            try {
                read.add(InstanceStatus.ofJson(new String(json, StandardCharsets.UTF_8)));
            } catch (IllegalArgumentException e) {
                System.getLogger(RedisSource.class.getName()).log(Level.DEBUG, "Ignored: not a status", e);
            }
        }
        return read;
    }

    private String[] statusKeys() {
        return new String[] {key + ":status"};
    }

    /* Without waiting for the answer. */
    private RedisFuture<Long> write(RedisConnection<String, byte[]> to, InstanceStatus status) {
        String from = Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));
        byte[][] arguments = {bytes(status.instance()), bytes(status.toJson()), bytes(from)};
        return to.async().eval(WRITE, ScriptOutputType.INTEGER, statusKeys(), arguments);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private RedisConnection<String, byte[]> connect() {
        StatefulRedisConnection<String, byte[]> made =
                client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        made.setTimeout(TIMEOUT);
        made.addListener(message -> {
            if (message.getType().equals("invalidate")) {
                signal();
            }
        });
        RedisConnection<String, byte[]> connection = new RedisConnection<>(made);
        connection.begin(() -> tracked = isTracked(made));
        return connection;
    }

    /* A server that speaks the older protocol would agree and never tell. */
    private static boolean isTracked(StatefulRedisConnection<?, ?> connection) {
        if (connection.getOptions().getConfiguredProtocolVersion() == ProtocolVersion.RESP2) {
            return false;
        }
        try {
            connection.sync().clientTracking(TrackingArgs.Builder.enabled());
            return true;
        } catch (RedisCommandExecutionException refused) {
            return false;
        }
    }

    private void signal() {
        if (!node.isClosed()) {
            changed.run();
        }
    }

    /** Ends calls that wait. This instance is not listed any more; a client that was given stays open. */
    @Override
    public void close() {
        String[] instances = statuses.keySet().toArray(String[]::new);
        boolean first = node.close(redis -> instances.length == 0 ? null : redis.hdel(statusKeys()[0], instances));
        if (first && owned) {
            Redis.shutdown(client);
        }
    }
}
