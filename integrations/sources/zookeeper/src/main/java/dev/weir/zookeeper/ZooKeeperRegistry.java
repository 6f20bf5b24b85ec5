package dev.weir.zookeeper;

import dev.weir.internal.Require;
import dev.weir.share.EntryListeners;
import dev.weir.share.ShareRegistry;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
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
public final class ZooKeeperRegistry implements ShareRegistry {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int RENEW_ATTEMPTS = 4;
    private static final byte[] EMPTY = {};
    private static final Set<Code> REPLACED = EnumSet.of(Code.OK, Code.BADVERSION, Code.NONODE, Code.NODEEXISTS);

    /*
     * The version of an entry is the transaction that wrote it, which is never used again. ZooKeeper compares the number of writes
     * since a node was created, which starts again with each creation. So each creation adds a child with a name of its own, named
     * in the data, and each write also checks that this child exists: the number is compared within one incarnation.
     */
    private final CuratorFramework client;
    private final String path;
    private final String instance;
    private final byte[] token = EntryNode.newIncarnation().getBytes(StandardCharsets.US_ASCII);
    private final ZooKeeperRequests requests;
    private final EntryListeners listeners = new EntryListeners();
    private final ConnectionStateListener onConnection = this::connectionChanged;
    private final PersistentWatch members;
    private final Map<String, PersistentWatch> entries = new ConcurrentHashMap<>();
    /* The session whose node was seen; each renewal checks the owner of the node again. */
    private volatile long joinedBy;

    private ZooKeeperRegistry(CuratorFramework client, String path, String instance, Duration requestTimeout) {
        this.client = client;
        this.path = path;
        this.instance = instance;
        this.requests = new ZooKeeperRequests(client, this::name, requestTimeout);
        this.members = new PersistentWatch(path + "/members", listeners::allChanged);
        client.getConnectionStateListenable().addListener(onConnection);
    }

    /**
     * A registry of an instance with a random id, whose session ends ten seconds after the instance has died.
     *
     * @param servers as ZooKeeper takes them: {@code "10.0.0.1:2181,10.0.0.2:2181/chroot"}
     * @param path of the service: {@code "/weir/shop"}; made when first needed
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper
     */
    public static ZooKeeperRegistry connect(String servers, String path) {
        return connect(servers, path, UUID.randomUUID().toString(), LEASE);
    }

    /**
     * A registry of an instance.
     *
     * @param servers as ZooKeeper takes them
     * @param path of the service
     * @param instance its id, a {@link ShareRegistry#name}
     * @param sessionTimeout which the server may shorten or extend, usually to within 2 and 20 of its ticks
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper, the instance is no name, or the time-out is not at
     *     least a millisecond and less than a day
     */
    public static ZooKeeperRegistry connect(String servers, String path, String instance, Duration sessionTimeout) {
        return connect(servers, path, instance, sessionTimeout, ZooKeeperRequests.TIMEOUT);
    }

    static ZooKeeperRegistry connect(
            String servers, String path, String instance, Duration sessionTimeout, Duration requestTimeout) {
        Require.that(
                sessionTimeout.toMillis() >= 1 && sessionTimeout.toDays() == 0,
                "sessionTimeout must be >= 1 ms and < 1 day",
                sessionTimeout);
        return connect(
                ZooKeeperRequests.settings(servers, (int) sessionTimeout.toMillis()), path, instance, requestTimeout);
    }

    /**
     * A registry with a client of these settings, for those who need authentication, encryption or access control. The client is closed
     * with the registry. Its retry policy is replaced by one that never retries.
     *
     * @throws IllegalArgumentException if the path is not a full path of ZooKeeper, or the instance is no name
     */
    public static ZooKeeperRegistry connect(CuratorFrameworkFactory.Builder settings, String path, String instance) {
        return connect(settings, path, instance, ZooKeeperRequests.TIMEOUT);
    }

    private static ZooKeeperRegistry connect(
            CuratorFrameworkFactory.Builder settings, String path, String instance, Duration requestTimeout) {
        NodeNames.checked(path);
        ShareRegistry.name("instance", instance);
        CuratorFramework client = settings.retryPolicy(new RetryNTimes(0, 0)).build();
        ZooKeeperRegistry registry = new ZooKeeperRegistry(client, path, instance, requestTimeout);
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
        arm();
        for (int attempt = 0; attempt < RENEW_ATTEMPTS; attempt++) {
            if (joinedBy == session.getSessionId()) {
                if (isMember(session.getSessionId())) {
                    return Duration.ofMillis(session.getSessionTimeout() * 3L / 4);
                }
                joinedBy = 0;
            }
            join(session.getSessionId());
        }
        throw new IOException(name() + ": the session ended");
    }

    private boolean isMember(long session) throws Exception {
        CuratorEvent written = requests.answer(
                Code.NONODE, callback -> client.setData().inBackground(callback).forPath(memberPath(), token));
        return written.getStat() != null && written.getStat().getEphemeralOwner() == session;
    }

    /** The node of a former session would vanish with that. It is replaced at once, so that nobody sees this member leave. */
    private void join(long session) throws Exception {
        CuratorEvent found = requests.data(memberPath());
        if (found.getStat() == null) {
            requests.created(
                    Code.NODEEXISTS,
                    memberPath(),
                    callback -> client.create()
                            .withMode(CreateMode.EPHEMERAL)
                            .inBackground(callback)
                            .forPath(memberPath(), token));
        } else if (found.getStat().getEphemeralOwner() == session) {
            joinedBy = session;
        } else if (Arrays.equals(found.getData(), token)) {
            commit(
                    client.transactionOp().delete().forPath(memberPath()),
                    client.transactionOp()
                            .create()
                            .withMode(CreateMode.EPHEMERAL)
                            .forPath(memberPath(), token));
        } else {
            throw new IllegalStateException("instance " + instance + " is a member already");
        }
    }

    private String memberPath() {
        return path + "/members/" + instance;
    }

    /** Before each reading and each renewal, so that no change is missed for longer than until the next of them. */
    private void arm() throws Exception {
        long connection = requests.connection(); // a stale number only sets the watches again
        members.arm(client, requests, connection);
        for (PersistentWatch entry : entries.values()) {
            entry.arm(client, requests, connection);
        }
    }

    @Override
    public View read(String entry) throws Exception {
        ShareRegistry.name("entry", entry);
        ZooKeeper session = session();
        arm();
        CuratorEvent found = requests.data(entryPath(entry));
        List<String> ids =
                requests.children(path + "/members").stream().sorted().toList();
        if (session() != session) {
            throw new IOException(name() + ": another session has begun, which may know less");
        }
        return found.getStat() == null
                ? new View(ids, "", 0)
                : new View(
                        ids,
                        EntryNode.of(found.getData()).value(),
                        found.getStat().getMzxid());
    }

    @Override
    public boolean replace(String entry, long version, String value) throws Exception {
        ShareRegistry.name("entry", entry);
        Objects.requireNonNull(value, "value");
        requests.awaitConnection();
        if (version == 0) {
            return create(entry, value);
        }
        CuratorEvent found = requests.data(entryPath(entry));
        if (found.getStat() == null || found.getStat().getMzxid() != version) {
            return false;
        }
        return write(
                entry,
                EntryNode.of(found.getData()).incarnation(),
                found.getStat().getVersion(),
                value);
    }

    boolean write(String entry, @Nullable String incarnation, int version, String value) throws Exception {
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
            requests.created(path + "/entries");
            made = commit(entryItself, child);
        }
        return made == Code.OK;
    }

    private Code commit(CuratorOp... operations) throws Exception {
        CuratorEvent made = requests.answer(
                REPLACED,
                callback -> client.transaction().inBackground(callback).forOperations(operations));
        return Code.get(made.getResultCode());
    }

    private String entryPath(String entry) {
        return path + "/entries/" + entry;
    }

    private ZooKeeper session() throws Exception {
        requests.awaitConnection();
        ZooKeeper session = client.getZookeeperClient().getZooKeeper();
        if (session.getSessionId() == 0) {
            throw new IOException(name() + ": the session has not begun yet");
        }
        return session;
    }

    @Override
    public Registration watch(String entry, Runnable changed) {
        requests.checkOpen();
        Registration added = listeners.add(entry, changed);
        entries.computeIfAbsent(entry, name -> new PersistentWatch(entryPath(name), () -> listeners.changed(name)));
        return added;
    }

    private void connectionChanged(CuratorFramework changedClient, ConnectionState state) {
        requests.connectionChanged(state);
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

    /** A watch of one node, or of its children, which is set again after each loss of the connection. Thread-safe. */
    private static final class PersistentWatch implements Watcher {
        private final String path;
        private final Runnable changed;
        /* A stale value sets the watch twice, which is harmless. */
        private volatile long armedAt = -1;

        PersistentWatch(String path, Runnable changed) {
            this.path = path;
            this.changed = changed;
        }

        /** Sets it, if it was not set at this connection, and then tells of a change: there may have been one before. */
        void arm(CuratorFramework client, ZooKeeperRequests requests, long connection) throws Exception {
            if (armedAt == connection) {
                return;
            }
            requests.made(callback -> client.watchers()
                    .add()
                    .withMode(AddWatchMode.PERSISTENT)
                    .inBackground(callback)
                    .usingWatcher(this)
                    .forPath(path));
            armedAt = connection;
            changed.run();
        }

        @Override
        public void process(WatchedEvent event) {
            if (event.getPath() != null) {
                changed.run();
            }
        }
    }

    /**
     * The data of the node of an entry: the value, after a line with the name of a child that only this incarnation of the node has;
     * null if somebody else wrote them.
     */
    record EntryNode(@Nullable String incarnation, String value) {
        private static final Pattern LINE = Pattern.compile("([0-9a-f-]{36})\n(.*)", Pattern.DOTALL);

        static EntryNode of(byte @Nullable [] data) {
            String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
            Matcher line = LINE.matcher(text);
            return line.matches() ? new EntryNode(line.group(1), line.group(2)) : new EntryNode(null, text);
        }

        static String newIncarnation() {
            return UUID.randomUUID().toString();
        }

        static byte[] data(String incarnation, String value) {
            return (incarnation + '\n' + value).getBytes(StandardCharsets.UTF_8);
        }
    }
}
