package dev.weir.zookeeper;

import dev.weir.distributed.ClusterRegistry;
import dev.weir.distributed.EntryListeners;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service, and their entries, below one node of ZooKeeper 3.6 or newer. Strongly consistent: an entry is replaced
 * by a quorum, and survives as long as the data of ZooKeeper do. A member is an ephemeral node {@code PATH/members/ID}, an entry is
 * {@code PATH/entries/NAME}; delete the node of an entry with its child, or not at all.
 *
 * <p>Each registry has a session of its own. {@link #renew} writes to the member's node, so it succeeds only with a quorum that still
 * knows the session. It returns three quarters of the session's time-out: a follower tells the leader twice a tick which sessions it
 * has heard of, and a session lasts two ticks at least.
 *
 * <p>Thread-safe. A request is given up after five seconds, fails at once while there is no connection, except the first one, which
 * waits for two seconds, and is never repeated. Watches call their actions on threads of the client: an action must not block.
 */
public final class ZooKeeperRegistry implements ClusterRegistry {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;
    private static final int RENEW_ATTEMPTS = 3;
    /** Of calls that wait in the client: only that which ends the session. */
    private static final String CLOSE_TIMEOUT_MILLIS = "500";

    private static final byte[] EMPTY = {};
    private static final Set<Code> REPLACED = EnumSet.of(Code.OK, Code.BADVERSION, Code.NONODE, Code.NODEEXISTS);

    /*
     * The version of an entry is the transaction that wrote it, which is never used again. ZooKeeper compares the number of writes
     * since a node was created, which starts again with each creation. So each creation adds a child with a name of its own, named
     * in the data, and each write also checks that this child exists: the number is compared within one incarnation.
     */
    private final CuratorFramework client;
    private final String path;
    private final String instance = UUID.randomUUID().toString();
    private final ZooKeeperRequests requests;
    private final EntryListeners listeners = new EntryListeners();
    private final AtomicLong connections = new AtomicLong();
    private final ConnectionStateListener onConnection = this::connectionChanged;
    private final PersistentWatch members;
    private final Map<String, PersistentWatch> entries = new ConcurrentHashMap<>();

    private ZooKeeperRegistry(CuratorFramework client, String path) {
        this.client = client;
        this.path = path;
        this.requests = new ZooKeeperRequests(client, this::name);
        this.members = new PersistentWatch(path + "/members", listeners::allChanged);
        client.getConnectionStateListenable().addListener(onConnection);
    }

    /**
     * A registry whose session ends ten seconds after the instance has died.
     *
     * @param servers as ZooKeeper takes them: {@code "10.0.0.1:2181,10.0.0.2:2181/chroot"}
     * @param path of the service: {@code "/weir/shop"}; made when first needed
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper
     */
    public static ZooKeeperRegistry connect(String servers, String path) {
        return connect(servers, path, LEASE);
    }

    /**
     * The same with another time-out of the session, which the server may shorten or extend: usually to within 2 and 20 of its ticks.
     *
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper, or the time-out is not at least a millisecond and
     *     less than a day
     */
    public static ZooKeeperRegistry connect(String servers, String path, Duration sessionTimeout) {
        if (sessionTimeout.toMillis() < 1 || sessionTimeout.toDays() > 0) {
            throw new IllegalArgumentException("sessionTimeout must be >= 1 ms and < 1 day, was " + sessionTimeout);
        }
        int millis = (int) sessionTimeout.toMillis();
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, CLOSE_TIMEOUT_MILLIS);
        return connect(
                CuratorFrameworkFactory.builder()
                        .connectString(Objects.requireNonNull(servers, "servers"))
                        .sessionTimeoutMs(millis)
                        .connectionTimeoutMs(Math.min(millis, CONNECTION_TIMEOUT_MILLIS))
                        .zkClientConfig(config),
                path);
    }

    /**
     * A registry with a client of these settings, for those who need authentication, encryption or access control. The client is closed
     * with the registry. Its retry policy is replaced by one that never retries.
     *
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper
     */
    public static ZooKeeperRegistry connect(CuratorFrameworkFactory.Builder settings, String path) {
        NodeNames.checked(path);
        CuratorFramework client = settings.retryPolicy(new RetryNTimes(0, 0)).build();
        ZooKeeperRegistry registry = new ZooKeeperRegistry(client, path);
        client.start();
        return registry;
    }

    private String name() {
        return "zookeeper:" + client.getZookeeperClient().getCurrentConnectionString() + path;
    }

    @Override
    public String instance() {
        return instance;
    }

    @Override
    public Duration renew() throws Exception {
        ZooKeeper session = session();
        for (int attempt = 0; attempt < RENEW_ATTEMPTS; attempt++) {
            if (isMember(session.getSessionId())) {
                return Duration.ofMillis(session.getSessionTimeout() * 3L / 4);
            }
        }
        throw new IOException(name() + ": the session ended");
    }

    /** If not, it is one after this call, unless something else happened to its node or session meanwhile. */
    private boolean isMember(long session) throws Exception {
        String node = path + "/members/" + instance;
        CuratorEvent written = requests.answer(
                Code.NONODE, callback -> client.setData().inBackground(callback).forPath(node, EMPTY));
        if (written.getStat() == null) {
            requests.answer(
                    Code.NODEEXISTS,
                    callback -> client.create()
                            .creatingParentsIfNeeded()
                            .withMode(CreateMode.EPHEMERAL)
                            .inBackground(callback)
                            .forPath(node, EMPTY));
            return false;
        }
        if (written.getStat().getEphemeralOwner() == session) {
            return true;
        }
        commit(
                client.transactionOp().delete().forPath(node),
                client.transactionOp().create().withMode(CreateMode.EPHEMERAL).forPath(node, EMPTY));
        return false;
    }

    @Override
    public View read(String entry) throws Exception {
        EntryListeners.checked(entry);
        ZooKeeper session = session();
        long connection = connections.get();
        members.arm(client, requests, connection);
        entries.computeIfAbsent(entry, name -> new PersistentWatch(entryPath(name), () -> listeners.changed(name)))
                .arm(client, requests, connection);
        CuratorEvent found = data(entry);
        CuratorEvent listed = requests.answer(
                Code.NONODE,
                callback -> client.getChildren().inBackground(callback).forPath(path + "/members"));
        if (session() != session) {
            throw new IOException(name() + ": another session has begun, which may know less");
        }
        List<String> ids = new ArrayList<>(listed.getChildren() == null ? List.of() : listed.getChildren());
        Collections.sort(ids);
        return found.getStat() == null
                ? new View(ids, "", 0)
                : new View(
                        ids,
                        EntryNode.of(found.getData()).value(),
                        found.getStat().getMzxid());
    }

    @Override
    public boolean replace(String entry, long version, String value) throws Exception {
        EntryListeners.checked(entry);
        Objects.requireNonNull(value, "value");
        requests.awaitConnection();
        if (version == 0) {
            return create(entry, value);
        }
        CuratorEvent found = data(entry);
        if (found.getStat() == null || found.getStat().getMzxid() != version) {
            return false;
        }
        return write(
                entry,
                EntryNode.of(found.getData()).incarnation(),
                found.getStat().getVersion(),
                value);
    }

    private boolean write(String entry, @Nullable String incarnation, int version, String value) throws Exception {
        String node = entryPath(entry);
        String kept = incarnation == null ? EntryNode.newIncarnation() : incarnation;
        CuratorOp same = incarnation == null
                ? client.transactionOp().create().forPath(node + '/' + kept, EMPTY)
                : client.transactionOp().check().forPath(node + '/' + kept);
        CuratorOp written =
                client.transactionOp().setData().withVersion(version).forPath(node, EntryNode.data(kept, value));
        return commit(same, written) == Code.OK;
    }

    private boolean create(String entry, String value) throws Exception {
        String node = entryPath(entry);
        String incarnation = EntryNode.newIncarnation();
        CuratorOp entryItself = client.transactionOp().create().forPath(node, EntryNode.data(incarnation, value));
        CuratorOp child = client.transactionOp().create().forPath(node + '/' + incarnation, EMPTY);
        Code made = commit(entryItself, child);
        if (made == Code.NONODE) {
            requests.answer(
                    Code.NODEEXISTS,
                    callback -> client.create()
                            .creatingParentsIfNeeded()
                            .inBackground(callback)
                            .forPath(path + "/entries"));
            made = commit(entryItself, child);
        }
        return made == Code.OK;
    }

    /** All or none of them. */
    private Code commit(CuratorOp... operations) throws Exception {
        CuratorEvent made = requests.answer(
                REPLACED,
                callback -> client.transaction().inBackground(callback).forOperations(operations));
        return Code.get(made.getResultCode());
    }

    private CuratorEvent data(String entry) throws Exception {
        return requests.answer(
                Code.NONODE, callback -> client.getData().inBackground(callback).forPath(entryPath(entry)));
    }

    private String entryPath(String entry) {
        return path + "/entries/" + NodeNames.escaped(entry);
    }

    private ZooKeeper session() throws Exception {
        requests.awaitConnection();
        return client.getZookeeperClient().getZooKeeper();
    }

    @Override
    public Registration watch(String entry, Runnable changed) {
        if (requests.isClosed()) {
            throw new IllegalStateException(name() + " is closed");
        }
        return listeners.add(entry, changed);
    }

    private void connectionChanged(CuratorFramework changedClient, ConnectionState state) {
        connections.incrementAndGet();
        if (!state.isConnected()) {
            requests.connectionLost();
        }
        listeners.allChanged();
    }

    /** Ends calls that wait, and the session. */
    @Override
    public void close() {
        if (requests.close()) {
            listeners.clear();
            client.getConnectionStateListenable().removeListener(onConnection);
            client.close();
        }
    }
}
