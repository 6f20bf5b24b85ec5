package dev.weir.zookeeper;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A source of a document in one node of ZooKeeper 3.6 or newer, of which it is the data. A persistent watch tells of
 * each change; it is set again whenever the connection was lost. Each instance writes what it runs to an ephemeral
 * node, a child of {@code PATH-status}.
 *
 * <p>The revision of a reading is the transaction that wrote the data, its epoch the creation of the node. The format follows
 * the end of the path, see {@link Format#of}. Thread-safe. A request is given up after five seconds, and fails at once while
 * there is no connection, except the first one, which waits for two seconds.
 */
public final class ZooKeeperSource implements ConfigSource {
    private static final int SESSION_TIMEOUT_MILLIS = 10_000;
    private static final RetryPolicy RETRY = new RetryOneTime(100);

    /*
     * A watch is lost with the session, and changes made while the connection is away may go unnoticed. So each connection that
     * ends or begins gets a number, and a reading that finds a number other than the one it armed the watch at does so again,
     * before it asks for the data: a later change is then seen by the watch. The same number tells whether this instance's node
     * may have vanished with the session.
     */
    private final CuratorFramework client;
    private final boolean owned;
    private final String path;
    private final String statusPath;
    private final ZooKeeperRequests requests;
    private final ConnectionStateListener onConnection = this::connectionChanged;
    private final Watcher watcher = event -> signal();
    private final Map<String, InstanceStatus> statuses = new ConcurrentHashMap<>();
    private volatile Runnable changed = () -> {};
    private volatile boolean watching;
    private long armedAt = -1;
    private long writtenAt;

    private ZooKeeperSource(CuratorFramework client, boolean owned, String path) {
        this.client = client;
        this.owned = owned;
        this.path = NodeNames.checked(path);
        this.statusPath = path + "-status";
        this.requests = new ZooKeeperRequests(client, this::name, ZooKeeperRequests.TIMEOUT);
        client.getConnectionStateListenable().addListener(onConnection);
    }

    /**
     * A source that uses a started client and leaves it open when closed.
     *
     * @param path of the node: {@code "/shop/limits.yaml"}; it need not exist
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper
     */
    public static ZooKeeperSource of(CuratorFramework client, String path) {
        return new ZooKeeperSource(Objects.requireNonNull(client, "client"), false, path);
    }

    /**
     * A source with a client that is closed with it. The session ends ten seconds after the instance has died.
     *
     * @param servers as ZooKeeper takes them: {@code "10.0.0.1:2181,10.0.0.2:2181/chroot"}
     * @param path of the node: {@code "/shop/limits.yaml"}; it need not exist
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper
     */
    public static ZooKeeperSource connect(String servers, String path) {
        NodeNames.checked(path);
        CuratorFramework client = ZooKeeperRequests.settings(servers, SESSION_TIMEOUT_MILLIS)
                .retryPolicy(RETRY)
                .build();
        client.start();
        return new ZooKeeperSource(client, true, path);
    }

    /** {@code "zookeeper:10.0.0.1:2181/shop/limits.yaml"}. */
    @Override
    public String name() {
        return "zookeeper:" + client.getZookeeperClient().getCurrentConnectionString() + path;
    }

    @Override
    public Reading read() throws Exception {
        requests.awaitConnection();
        long connection = requests.connection();
        if (watching && armedAt != connection) {
            requests.made(callback -> client.watchers()
                    .add()
                    .withMode(AddWatchMode.PERSISTENT)
                    .inBackground(callback)
                    .usingWatcher(watcher)
                    .forPath(path));
            armedAt = connection;
        }
        CuratorEvent found = requests.data(path);
        if (writtenAt != connection) {
            renew(connection);
        }
        if (found.getResultCode() == Code.NONODE.intValue()) {
            return Reading.absent();
        }
        byte[] data = found.getData();
        return Reading.of(data == null ? new byte[0] : data, Format.of(path))
                .revision(found.getStat().getMzxid(), epoch(found.getStat()))
                .whole();
    }

    /* An ensemble has no identity. Within one, a node that is created again has a higher transaction than all before it. */
    private static String epoch(Stat node) {
        return Long.toHexString(node.getCzxid()) + '@' + Long.toHexString(node.getCtime());
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
        write(status);
    }

    @Override
    public List<InstanceStatus> statuses() throws Exception {
        List<InstanceStatus> found = new ArrayList<>();
        for (String child : requests.children(statusPath)) {
            InstanceStatus status = status(child);
            if (status != null) {
                found.add(status);
            }
        }
        return found;
    }

    /** Null if it has vanished, or somebody else wrote it. */
    private @Nullable InstanceStatus status(String child) throws Exception {
        byte[] data = requests.data(statusPath + '/' + child).getData();
        if (data == null) {
            return null;
        }
        try {
            return InstanceStatus.ofJson(new String(data, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The document counts, also where nothing may be written. */
    private void renew(long connection) throws InterruptedException {
        try {
            for (InstanceStatus status : statuses.values()) {
                write(status);
            }
            writtenAt = connection;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            requests.ignored(e);
        }
    }

    /** A node that a former session left is replaced: it will vanish with that session. */
    private void write(InstanceStatus status) throws Exception {
        String node = node(status.instance());
        byte[] data = status.toJson().getBytes(StandardCharsets.UTF_8);
        CuratorEvent found = requests.answer(
                Code.NONODE,
                callback -> client.checkExists().inBackground(callback).forPath(node));
        long session = client.getZookeeperClient().getZooKeeper().getSessionId();
        if (found.getStat() != null && found.getStat().getEphemeralOwner() == session) {
            requests.made(callback -> client.setData().inBackground(callback).forPath(node, data));
            return;
        }
        if (found.getStat() != null) {
            requests.answer(
                    Code.NONODE,
                    callback -> client.delete().inBackground(callback).forPath(node));
        }
        requests.created(
                Code.OK,
                node,
                callback -> client.create()
                        .withMode(CreateMode.EPHEMERAL)
                        .inBackground(callback)
                        .forPath(node, data));
    }

    private String node(String instance) {
        return statusPath + '/' + NodeNames.escaped(instance);
    }

    private void connectionChanged(CuratorFramework changedClient, ConnectionState state) {
        requests.connectionChanged(state);
        signal();
    }

    private void signal() {
        if (!requests.isClosed()) {
            changed.run();
        }
    }

    /** Ends calls that wait. This instance's node vanishes; a client that was given stays open. */
    @Override
    public void close() {
        if (!requests.close()) {
            return;
        }
        client.getConnectionStateListenable().removeListener(onConnection);
        if (owned) {
            client.close();
            return;
        }
        requests.attempt(() -> client.watchers().remove(watcher).inBackground().forPath(path));
        for (String instance : statuses.keySet()) {
            requests.attempt(() -> client.delete().inBackground().forPath(node(instance)));
        }
    }
}
