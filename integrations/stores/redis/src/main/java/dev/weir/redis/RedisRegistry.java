package dev.weir.redis;

import dev.weir.share.EntryListeners;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service, and their entries, in two hashes of Redis 6 or newer, or of Valkey. A member renews a lease by the time
 * of the server. All is decided in scripts, each of which is atomic.
 *
 * <p>Weakly consistent: a server that restarts without its data, or a fail-over to a replica that lags, loses the last replacements,
 * or all entries and members. Versions do not repeat unless the clock of the server goes back.
 *
 * <ul>
 *   <li>If all was lost, each instance is a member again with its next renewal, and a share of a quota is not raised for one lease:
 *       until then each instance has written again what it has, or has lost its membership. Nobody knows the degraded share of an
 *       instance that cannot reach the server: a sum may be exceeded by that.
 *   <li>If only the last replacements were lost, two instances may both use what one of them gave up in those, until both have read
 *       again, which they are told to do when the connection is lost.
 *   <li>A clock of the server that jumps ahead ends leases early, by as much as it jumps.
 * </ul>
 *
 * <p>Use ZooKeeper or etcd where a sum must hold through that.
 *
 * <p>Watches hear of each change from the server, and are called besides once a lease: a member that has died is noticed by the
 * next renewal of another. All keys end one day after the last renewal.
 *
 * <p>Thread-safe. A request is given up after a lease, but no sooner than a second and no later than three; none is repeated, and no request is kept
 * while there is no connection. Watches call their actions on threads of the client: an action must not block.
 */
public final class RedisRegistry implements ShareRegistry {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
    private static final long SHUTDOWN_SECONDS = 2;
    private static final String TTL_MILLIS = Long.toString(Duration.ofDays(1).toMillis());
    private static final Pattern ENTRY = Pattern.compile("([0-9]{1,16}) (.*)", Pattern.DOTALL);

    private final RedisClient client;
    private final String channel;
    private final String[] keys;
    private final String instance;
    private final Duration lease;
    private final Duration timeout;
    private final String token = UUID.randomUUID().toString();
    private final EntryListeners listeners = new EntryListeners();
    private final AtomicBoolean repeating = new AtomicBoolean();
    private final Lock connecting = new ReentrantLock();
    /* A connection that is made meanwhile is closed by its maker. */
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable RegistryConnection connection;

    private RedisRegistry(RedisClient client, String key, String instance, Duration lease, Duration timeout) {
        this.client = client;
        String tagged = '{' + key + '}';
        this.channel = tagged + ":changed";
        this.keys = new String[] {tagged + ":members", tagged + ":entries"};
        this.instance = instance;
        this.lease = lease;
        this.timeout = timeout;
    }

    /**
     * A registry of an instance with a random id and a lease of ten seconds.
     *
     * @param server one server, or Sentinels
     * @param key the beginning of the keys of the service: {@code "weir:shop"}
     * @throws IllegalArgumentException if the key is empty, or has a brace
     */
    public static RedisRegistry connect(RedisURI server, String key) {
        return connect(server, key, UUID.randomUUID().toString(), LEASE);
    }

    /**
     * A registry of an instance.
     *
     * @param server one server, or Sentinels; not a cluster
     * @param key the beginning of the keys of the service
     * @param instance its id, a {@link ShareRegistry#name}
     * @param lease how long it stays a member without a renewal, the same for all instances
     * @throws IllegalArgumentException if the key is empty or has a brace, the instance is no name, or the lease is not at least 100
     *     ms and at most an hour
     */
    public static RedisRegistry connect(RedisURI server, String key, String instance, Duration lease) {
        if (key.isEmpty() || key.contains("{") || key.contains("}")) {
            throw new IllegalArgumentException("key must not be empty and have no brace, was " + key);
        }
        if (lease.toMillis() < 100 || lease.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("lease must be >= 100 ms and <= 1 h, was " + lease);
        }
        ShareRegistry.name("instance", instance);
        Duration longest = lease.compareTo(RedisSource.TIMEOUT) < 0 ? lease : RedisSource.TIMEOUT;
        Duration timeout = longest.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : longest;
        return new RedisRegistry(Redis.client(server, timeout), key, instance, lease, timeout);
    }

    @Override
    public String instance() {
        return instance;
    }

    private interface Command<T> {
        T run(RegistryConnection current);
    }

    /** A server that refuses to write may not be the primary any more: the next request asks again which is. */
    private <T> T send(Command<T> command) {
        RegistryConnection current = connection();
        try {
            return command.run(current);
        } catch (RedisCommandExecutionException e) {
            if (RedisError.READONLY.is(e)) {
                current.close();
            }
            throw e;
        } catch (RuntimeException e) {
            current.close();
            throw e;
        }
    }

    @Override
    public Duration renew() {
        if (!send(current -> current.renew(keys, instance, token, lease, TTL_MILLIS, channel))) {
            throw new IllegalStateException("instance " + instance + " is a member already");
        }
        return lease;
    }

    @Override
    public View read(String entry) {
        ShareRegistry.name("entry", entry);
        List<String> reply = send(current -> current.read(keys, entry));
        List<String> members = new ArrayList<>(reply.subList(1, reply.size()));
        Collections.sort(members);
        Matcher found = ENTRY.matcher(reply.get(0));
        return found.matches()
                ? new View(members, found.group(2), Long.parseLong(found.group(1)))
                : new View(members, "", 0);
    }

    @Override
    public boolean replace(String entry, long version, String value) {
        ShareRegistry.name("entry", entry);
        Objects.requireNonNull(value, "value");
        return send(current -> current.replace(keys, entry, version, value, TTL_MILLIS, channel));
    }

    @Override
    public Registration watch(String entry, Runnable changed) {
        checkOpen();
        Registration added = listeners.add(entry, changed);
        if (repeating.compareAndSet(false, true)) {
            Registration unused = Alarm.system().ring(lease.toNanos(), this::repeat);
        }
        return added;
    }

    /** Also if no message has come: one may have been lost with its connection. */
    private void repeat() {
        if (!closed.get()) {
            listeners.allChanged();
            Registration unused = Alarm.system().ring(lease.toNanos(), this::repeat);
        }
    }

    private void told(String entry) {
        if (entry.isEmpty()) {
            listeners.allChanged();
        } else {
            listeners.changed(entry);
        }
    }

    private RegistryConnection connection() {
        RegistryConnection current = connection;
        if (current != null && current.isOpen() && !closed.get()) {
            return current;
        }
        connecting.lock();
        try {
            checkOpen();
            current = connection;
            if (current != null && current.isOpen()) {
                return current;
            }
            current = RegistryConnection.of(client, timeout, channel, this::told, listeners::allChanged);
            connection = current;
        } finally {
            connecting.unlock();
        }
        if (closed.get()) {
            current.close();
            checkOpen();
        }
        listeners.allChanged();
        return current;
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("redis:" + keys[0] + " is closed");
        }
    }

    /** Ends calls that wait. This instance is not a member any more. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        listeners.clear();
        RegistryConnection last = connection;
        if (last != null && last.isOpen()) {
            last.leave(keys, instance, token, channel);
            last.close();
            last.awaitClosed();
        }
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }
}
