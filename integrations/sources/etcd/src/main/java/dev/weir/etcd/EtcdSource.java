package dev.weir.etcd;

import static dev.weir.etcd.EtcdRequests.bytes;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Response;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A source of a document in one key of etcd 3, of which it is the value. A watch from the revision that was read tells
 * of each change. Each instance writes what it runs to a key below {@code KEY-status/}, with a lease of ten seconds
 * that is kept alive.
 *
 * <p>The revision of a reading is the one that modified the key, its epoch the id of the cluster. A cluster that is rebuilt
 * at the same addresses has the same id; that its revisions are lower than those before shows it, for reads are linearizable, and begins
 * another epoch. The format follows the end of the key, see {@link Format#of}. Thread-safe. Each call blocks for at most five
 * seconds, {@link #acknowledge} for ten.
 */
public final class EtcdSource implements ConfigSource {
    private final Supplier<Client> clients;
    private final boolean owned;
    private final String key;
    private final EtcdRequests requests;
    private final Map<String, InstanceStatus> statuses = new ConcurrentHashMap<>();
    private final Object lock = new Object();
    private volatile Runnable changed = () -> {};
    private volatile boolean watching;
    /* Guarded by the lock. */
    private @Nullable EtcdConnection connection;
    /* These belong to the thread that reads. */
    private long latest;
    private long latestOfKey;
    private int rebuilt;

    private EtcdSource(Supplier<Client> clients, boolean owned, String key) {
        this.clients = clients;
        this.owned = owned;
        this.key = Objects.requireNonNull(key, "key");
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key must not be empty");
        }
        this.requests = new EtcdRequests(name(), EtcdRequests.TIMEOUT);
    }

    /**
     * A source that uses a client and leaves it open when closed. After an outage such a client connects again when its own
     * delay has passed, which grows to two minutes; {@link #connect} does not wait for it.
     *
     * @param key {@code "shop/limits.yaml"}; it need not exist
     * @throws IllegalArgumentException if the key is empty
     */
    public static EtcdSource of(Client client, String key) {
        Objects.requireNonNull(client, "client");
        return new EtcdSource(() -> client, false, key);
    }

    /**
     * A source with a client that is closed with it. After a failure it makes a new one; the client's own retries are not used.
     *
     * @param client {@code Client.builder().endpoints("http://10.0.0.1:2379")}
     * @param key {@code "shop/limits.yaml"}; it need not exist
     * @throws IllegalArgumentException if the key is empty
     */
    public static EtcdSource connect(ClientBuilder client, String key) {
        ClientBuilder copy = client.copy().waitForReady(false).retryMaxAttempts(0);
        return new EtcdSource(copy::build, true, key);
    }

    /** {@code "etcd:shop/limits.yaml"}. */
    @Override
    public String name() {
        return "etcd:" + key;
    }

    @Override
    public Reading read() throws Exception {
        EtcdConnection current = connection();
        try {
            Reading reading = read(current);
            renew(current);
            return reading;
        } catch (Exception e) {
            drop(current);
            throw e;
        }
    }

    private Reading read(EtcdConnection current) throws Exception {
        GetResponse found = requests.answer(current.client().getKVClient().get(bytes(key)));
        if (watching) {
            current.watch(bytes(key), found.getHeader().getRevision() + 1);
        }
        if (found.getKvs().isEmpty()) {
            return Reading.absent();
        }
        KeyValue pair = found.getKvs().get(0);
        return Reading.of(pair.getValue().getBytes(), Format.of(key))
                .revision(pair.getModRevision(), epoch(found.getHeader(), pair.getModRevision()))
                .whole();
    }

    private String epoch(Response.Header header, long ofKey) {
        if (header.getRevision() < latest || ofKey < latestOfKey) {
            rebuilt++;
        }
        latest = header.getRevision();
        latestOfKey = ofKey;
        String id = Long.toHexString(header.getClusterId());
        return rebuilt == 0 ? id : id + "-" + rebuilt;
    }

    @Override
    public void watch(Runnable changed) {
        this.changed = Objects.requireNonNull(changed, "changed");
        watching = true;
    }

    @Override
    public boolean acknowledges() {
        return true;
    }

    @Override
    public void acknowledge(InstanceStatus status) throws Exception {
        statuses.put(status.instance(), status);
        write(connection(), status);
    }

    @Override
    public List<InstanceStatus> statuses() throws Exception {
        GetResponse found = requests.answer(connection()
                .client()
                .getKVClient()
                .get(bytes(statusPrefix()), GetOption.builder().isPrefix(true).build()));
        List<InstanceStatus> read = new ArrayList<>();
        for (KeyValue pair : found.getKvs()) {
            try {
                read.add(InstanceStatus.ofJson(pair.getValue().toString(StandardCharsets.UTF_8)));
            } catch (IllegalArgumentException e) {
                System.getLogger(EtcdSource.class.getName())
                        .log(Level.DEBUG, () -> "Ignored: not a status: " + pair.getKey());
            }
        }
        return read;
    }

    private void write(EtcdConnection current, InstanceStatus status) throws Exception {
        current.put(bytes(statusPrefix() + status.instance()), bytes(status.toJson()));
    }

    /** The document counts, also where nothing may be written. */
    private void renew(EtcdConnection current) throws InterruptedException {
        if (current.hasLease()) {
            return;
        }
        try {
            for (InstanceStatus status : statuses.values()) {
                write(current, status);
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            EtcdRequests.ignored(e);
        }
    }

    private String statusPrefix() {
        return key + "-status/";
    }

    private EtcdConnection connection() {
        synchronized (lock) {
            requests.checkOpen();
            EtcdConnection current = connection;
            if (current == null) {
                current = new EtcdConnection(clients.get(), requests, this::signal);
                connection = current;
            }
            return current;
        }
    }

    private void drop(EtcdConnection failed) {
        if (!owned) {
            return;
        }
        synchronized (lock) {
            if (connection == failed) {
                connection = null;
            }
        }
        failed.close();
        failed.client().close();
    }

    private void signal() {
        if (!requests.isClosed()) {
            changed.run();
        }
    }

    /** Ends calls that wait. This instance's key vanishes; a client that was given stays open. */
    @Override
    public void close() {
        EtcdConnection last;
        synchronized (lock) {
            requests.close();
            last = connection;
            connection = null;
        }
        if (last != null) {
            last.revoke();
            last.close();
            if (owned) {
                last.client().close();
            }
        }
    }
}
