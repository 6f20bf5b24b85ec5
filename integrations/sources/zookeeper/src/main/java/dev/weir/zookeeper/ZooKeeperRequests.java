package dev.weir.zookeeper;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Requests to ZooKeeper that end after a bounded time, whatever the client's retry policy is, and when they are closed.
 * Foreground calls of Curator do neither.
 */
final class ZooKeeperRequests {
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final int CONNECT_SECONDS = 2;
    private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;
    /** Of calls that wait in the client: only that which ends the session. */
    private static final String CLOSE_TIMEOUT_MILLIS = "500";

    private static final byte[] EMPTY = {};

    private final CuratorFramework client;
    private final Supplier<String> name;
    private final Duration timeout;
    private final CompletableFuture<CuratorEvent> closed = new CompletableFuture<>();
    /* A request that was sent before the loss ends with it; a later one has a future of its own. */
    private volatile CompletableFuture<CuratorEvent> lost = new CompletableFuture<>();
    private volatile boolean waited;
    /* The number of connections that have begun or ended. */
    private final AtomicLong connections = new AtomicLong();

    ZooKeeperRequests(CuratorFramework client, Supplier<String> name, Duration timeout) {
        this.client = client;
        this.name = name;
        this.timeout = timeout;
    }

    /** Settings of a client without a retry policy. */
    static CuratorFrameworkFactory.Builder settings(String servers, int sessionMillis) {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, CLOSE_TIMEOUT_MILLIS);
        return CuratorFrameworkFactory.builder()
                .connectString(Objects.requireNonNull(servers, "servers"))
                .sessionTimeoutMs(sessionMillis)
                .connectionTimeoutMs(Math.min(sessionMillis, CONNECTION_TIMEOUT_MILLIS))
                .zkClientConfig(config);
    }

    interface Request {
        void start(BackgroundCallback callback) throws Exception;
    }

    /**
     * Waits for the first connection only: a caller that is told that there is none is called when there is one. Without a connection
     * requests would pile up in the client.
     */
    void awaitConnection() throws Exception {
        checkOpen();
        int seconds = waited ? 0 : CONNECT_SECONDS;
        boolean connected = client.blockUntilConnected(seconds, TimeUnit.SECONDS);
        waited = true;
        if (!connected) {
            throw new IOException(name.get() + " is not connected");
        }
    }

    /** A number that changes whenever a connection begins or ends. */
    long connection() {
        return connections.get();
    }

    /** Where the connection is lost, ends the requests that wait: the client would make them again, until its own time-out has passed. */
    void connectionChanged(ConnectionState state) {
        connections.incrementAndGet();
        if (state.isConnected()) {
            return;
        }
        CompletableFuture<CuratorEvent> last = lost;
        lost = new CompletableFuture<>();
        last.completeExceptionally(new IOException("connection lost"));
    }

    void made(Request request) throws Exception {
        answer(Code.OK, request);
    }

    /** The answer, whose code is OK or {@code allowed}. */
    CuratorEvent answer(Code allowed, Request request) throws Exception {
        return answer(EnumSet.of(Code.OK, allowed), request);
    }

    /** The data of a node, with its state; both null if it is missing. */
    CuratorEvent data(String node) throws Exception {
        return answer(
                Code.NONODE, callback -> client.getData().inBackground(callback).forPath(node));
    }

    /** The names of the children of a node; none if it is missing. */
    List<String> children(String node) throws Exception {
        List<String> found = answer(
                        Code.NONODE,
                        callback -> client.getChildren().inBackground(callback).forPath(node))
                .getChildren();
        return found == null ? List.of() : found;
    }

    /**
     * Creates a node, whose code is OK or {@code allowed}, and first the nodes above it that are missing. Each is a request of its own:
     * Curator creates parents by calls that wait in the client, whose time-out is that for closing.
     */
    void created(Code allowed, String node, Request creation) throws Exception {
        try {
            answer(allowed, creation);
        } catch (KeeperException.NoNodeException e) {
            String parent = node.substring(0, node.lastIndexOf('/'));
            if (parent.isEmpty()) {
                throw e;
            }
            created(parent);
            answer(allowed, creation);
        }
    }

    /** Creates a node without data, if it is missing. */
    void created(String node) throws Exception {
        created(
                Code.NODEEXISTS,
                node,
                callback -> client.create().inBackground(callback).forPath(node, EMPTY));
    }

    CuratorEvent answer(Set<Code> allowed, Request request) throws Exception {
        CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
        CompletableFuture<CuratorEvent> connection = lost;
        try {
            awaitConnection();
            request.start((same, event) -> answer.complete(event));
            CompletableFuture.anyOf(answer, connection, closed).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            CuratorEvent event = answer.join();
            Code code = Code.get(event.getResultCode());
            if (!allowed.contains(code)) {
                throw KeeperException.create(code, event.getPath());
            }
            return event;
        } catch (TimeoutException e) {
            throw new IOException(name.get() + " did not answer within " + timeout, e);
        } catch (ExecutionException e) {
            throw new IOException(name.get() + " failed: " + e.getCause(), e);
        } finally {
            answer.cancel(false);
        }
    }

    /** Without waiting for the answer, which may be a failure. */
    void attempt(Callable<?> request) {
        try {
            request.call();
        } catch (Exception e) {
            ignored(e);
        }
    }

    void ignored(Exception failure) {
        System.getLogger(ZooKeeperRequests.class.getName())
                .log(Level.DEBUG, "Ignored: failure at " + name.get(), failure);
    }

    boolean isClosed() {
        return closed.isDone();
    }

    /** Returns false if it was closed before. */
    boolean close() {
        return closed.completeExceptionally(new IOException("closed"));
    }

    void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException(name.get() + " is closed");
        }
    }
}
