package dev.weir.etcd;

import static dev.weir.etcd.EtcdRequests.bytes;

import dev.weir.internal.Require;
import dev.weir.share.EntryListeners;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service, and their entries, below one prefix of keys of etcd 3. Strongly consistent: each reading and each
 * replacement is decided by a quorum, and entries survive as long as the data of etcd do. A member is the key
 * {@code PREFIX/members/ID} with a lease, an entry is {@code PREFIX/entries/NAME}. The version of an entry is the revision that
 * modified it.
 *
 * <p>{@link #renew} keeps the lease alive, by one request, and makes another one if it has ended. A watch of the prefix tells of
 * changes. While there is none, the actions are called once a second, until a reading or a renewal has begun another: so none is
 * missed after a loss of the connection or a compaction.
 *
 * <p>Thread-safe. A request is given up after a lease, or five seconds if that is less; none is repeated. After a failure the
 * next request uses a new client. Watches call their actions on threads of the client: an action must not block.
 */
public final class EtcdRegistry implements ShareRegistry {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final long RETELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Connection(Client client, EtcdWatch watch) {
        void close() {
            watch.close();
            client.close();
        }
    }

    private final Supplier<Client> clients;
    private final String prefix;
    private final String instance;
    private final EtcdRequests requests;
    private final EtcdLease lease;
    private final EntryListeners listeners = new EntryListeners();
    private final AtomicBoolean retelling = new AtomicBoolean();
    private final Object lock = new Object();
    /* Guarded by the lock. */
    private @Nullable Connection connection;

    private EtcdRegistry(
            Supplier<Client> clients, String prefix, String instance, Duration lasts, Duration longestRequest) {
        this.clients = clients;
        this.prefix = prefix + '/';
        this.instance = ShareRegistry.name("instance", instance);
        this.requests =
                new EtcdRequests("etcd:" + prefix, lasts.compareTo(longestRequest) < 0 ? lasts : longestRequest);
        this.lease = new EtcdLease(requests, instance, this.prefix + "members/" + instance, lasts.toSeconds());
    }

    /**
     * A registry of an instance with a random id and a lease of ten seconds.
     *
     * @param client {@code Client.builder().endpoints("http://10.0.0.1:2379")}
     * @param prefix of the keys of the service: {@code "weir/shop"}
     * @throws IllegalArgumentException if the prefix is empty
     */
    public static EtcdRegistry connect(ClientBuilder client, String prefix) {
        return connect(client, prefix, UUID.randomUUID().toString(), LEASE);
    }

    /**
     * A registry of an instance. Its clients never retry, whatever the builder says, and are closed with it.
     *
     * @param client says how to connect
     * @param prefix of the keys of the service
     * @param instance its id, a {@link ShareRegistry#name}
     * @param lease how long it stays a member without a renewal, in whole seconds; the server may extend it, usually to two seconds
     * @throws IllegalArgumentException if the prefix is empty, the instance is no name, or the lease is less than a second
     */
    public static EtcdRegistry connect(ClientBuilder client, String prefix, String instance, Duration lease) {
        return connect(client, prefix, instance, lease, EtcdRequests.TIMEOUT);
    }

    static EtcdRegistry connect(
            ClientBuilder client, String prefix, String instance, Duration lease, Duration longestRequest) {
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("prefix must not be empty");
        }
        Require.that(lease.toSeconds() >= 1, "lease must be >= 1 s", lease);
        ClientBuilder copy = client.copy().waitForReady(false).retryMaxAttempts(0);
        return new EtcdRegistry(copy::build, prefix, instance, lease, longestRequest);
    }

    @Override
    public String instance() {
        return instance;
    }

    private interface Command<T> {
        T run(Connection current) throws Exception;
    }

    /** A thread may have no context class loader, by which the libraries of jetcd look for their resources. */
    private <T> T send(Command<T> command) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(Client.class.getClassLoader());
        try {
            return sendOnce(command);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private <T> T sendOnce(Command<T> command) throws Exception {
        Connection current = connection();
        try {
            return command.run(current);
        } catch (IllegalStateException refused) {
            throw refused;
        } catch (Exception e) {
            drop(current);
            throw e;
        }
    }

    @Override
    public Duration renew() throws Exception {
        return send(current -> {
            EtcdLease.Renewed renewed = lease.renew(current.client());
            watch(current, renewed.revision());
            return renewed.lasts();
        });
    }

    @Override
    public View read(String entry) throws Exception {
        ByteSequence key = entryKey(entry);
        return send(current -> {
            ByteSequence members = bytes(prefix + "members/");
            TxnResponse found = requests.answer(current.client()
                    .getKVClient()
                    .txn()
                    .Then(
                            Op.get(key, GetOption.DEFAULT),
                            Op.get(
                                    members,
                                    GetOption.builder()
                                            .isPrefix(true)
                                            .withKeysOnly(true)
                                            .build()))
                    .commit());
            watch(current, found.getHeader().getRevision());
            return view(found, members.size());
        });
    }

    private static View view(TxnResponse found, int prefixBytes) {
        List<String> ids = new ArrayList<>();
        for (KeyValue pair : found.getGetResponses().get(1).getKvs()) {
            ids.add(pair.getKey().substring(prefixBytes).toString(StandardCharsets.UTF_8));
        }
        for (KeyValue pair : found.getGetResponses().get(0).getKvs()) {
            return new View(ids, pair.getValue().toString(StandardCharsets.UTF_8), pair.getModRevision());
        }
        return new View(ids, "", 0);
    }

    @Override
    public boolean replace(String entry, long version, String value) throws Exception {
        ByteSequence key = entryKey(entry);
        return send(current -> requests.answer(current.client()
                        .getKVClient()
                        .txn()
                        .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(version)))
                        .Then(Op.put(key, bytes(value), PutOption.DEFAULT))
                        .commit())
                .isSucceeded());
    }

    private ByteSequence entryKey(String entry) {
        return bytes(prefix + "entries/" + ShareRegistry.name("entry", entry));
    }

    /** A change up to this revision may have gone unnoticed. */
    private void watch(Connection current, long revision) {
        ByteSequence keys = bytes(prefix);
        if (current.watch().begin(keys, WatchOption.builder().isPrefix(true), revision + 1)) {
            listeners.allChanged();
        }
    }

    private void changed(WatchResponse response) {
        int entries = bytes(prefix + "entries/").size();
        for (WatchEvent event : response.getEvents()) {
            String key = event.getKeyValue().getKey().toString(StandardCharsets.UTF_8);
            if (key.startsWith(prefix + "members/")) {
                listeners.allChanged();
                return;
            }
        }
        for (WatchEvent event : response.getEvents()) {
            ByteSequence key = event.getKeyValue().getKey();
            if (key.size() > entries) {
                listeners.changed(key.substring(entries).toString(StandardCharsets.UTF_8));
            }
        }
    }

    @Override
    public Registration watch(String entry, Runnable changed) {
        requests.checkOpen();
        Registration added = listeners.add(entry, changed);
        retellLater();
        return added;
    }

    private void watchEnded() {
        listeners.allChanged();
        retellLater();
    }

    private void retellLater() {
        if (!isWatching() && !listeners.isEmpty() && retelling.compareAndSet(false, true)) {
            Registration unused = Alarm.system().ring(RETELL_NANOS, this::retell);
        }
    }

    private void retell() {
        retelling.set(false);
        if (!isWatching()) {
            watchEnded();
        }
    }

    private boolean isWatching() {
        synchronized (lock) {
            return connection != null && connection.watch().isOn();
        }
    }

    private Connection connection() {
        synchronized (lock) {
            requests.checkOpen();
            Connection current = connection;
            if (current == null) {
                Client client = clients.get();
                current = new Connection(client, new EtcdWatch(client, this::changed, this::watchEnded));
                connection = current;
            }
            return current;
        }
    }

    private void drop(Connection failed) {
        synchronized (lock) {
            if (connection == failed) {
                connection = null;
            }
        }
        failed.close();
        retellLater();
    }

    /** Ends calls that wait. This instance's key vanishes. */
    @Override
    public void close() {
        Connection last;
        synchronized (lock) {
            if (requests.isClosed()) {
                return;
            }
            requests.close();
            last = connection;
            connection = null;
        }
        listeners.clear();
        if (last != null) {
            lease.revoke(last.client());
            last.close();
        }
    }
}
