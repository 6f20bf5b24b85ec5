package dev.weir.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper of one member in this JVM, on a free port of 127.0.0.1. A module that uses it needs {@code curator-test} and
 * {@code zookeeper}. Thread-safe; the methods block until the server has done it.
 */
public final class ZooKeeperServer implements AutoCloseable {
    private static final String LONGEST_SESSION_MILLIS = "600000";

    private final TestingServer server;

    private ZooKeeperServer(TestingServer server) {
        this.server = server;
    }

    /** A running server. It has after {@link #kill} and {@link #start} what it answered for before. */
    public static ZooKeeperServer started() {
        return started(Duration.ofSeconds(3));
    }

    /**
     * The same with another tick: a session lasts two of them at least, and ten minutes at most.
     *
     * @param tick at least one millisecond
     */
    public static ZooKeeperServer started(Duration tick) {
        Path directory = ServerProcess.newDirectory("zookeeper");
        int port = ServerProcess.freePort();
        InstanceSpec spec = new InstanceSpec(
                directory.toFile(),
                port,
                -1,
                -1,
                true,
                -1,
                (int) tick.toMillis(),
                -1,
                Map.of("maxSessionTimeout", LONGEST_SESSION_MILLIS));
        try {
            return new ZooKeeperServer(new TestingServer(spec, true));
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper does not start", e);
        }
    }

    /** The port for clients. It stays the same when the server is started again. */
    public int port() {
        return server.getPort();
    }

    /** {@code 127.0.0.1:PORT}. */
    public String connection() {
        return "127.0.0.1:" + port();
    }

    /** Starts it again after {@link #kill}. */
    public void start() {
        try {
            server.restart();
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper does not start again", e);
        }
    }

    /** Ends it; sessions learn nothing of that. */
    public void kill() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper does not end", e);
        }
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper does not end", e);
        }
    }
}
