package dev.weir.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@code mariadbd} on a free port of 127.0.0.1, where each user has all rights, and the database {@code test}. What is committed survives
 * {@link #kill}, not a failure of the machine. Thread-safe; the methods block until the server has done it.
 */
public final class MariaDbServer implements AutoCloseable {
    private static final int MILLIS = 1_000;

    private final int port;
    private final ServerProcess process;

    private MariaDbServer() {
        port = ServerProcess.freePort();
        Path directory = ServerProcess.newDirectory("mariadb");
        List<String> words = new ArrayList<>(List.of(Server.MARIADB.command(), "--no-defaults"));
        if (System.getProperty("user.name").equals("root")) {
            words.add("--user=root");
        }
        words.addAll(List.of(
                "--datadir=" + directory.resolve("data"),
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-grant-tables",
                "--innodb-flush-log-at-trx-commit=2",
                "--max-connections=200"));
        process = ServerProcess.of(directory, words);
        initialize(directory, words);
    }

    /** A first start that is killed leaves files that the next one does not read. */
    private static void initialize(Path directory, List<String> words) {
        directory.resolve("data").resolve("test").toFile().mkdirs();
        List<String> bootstrap = new ArrayList<>(words);
        bootstrap.add("--bootstrap");
        ServerProcess.run(directory, bootstrap);
    }

    /** A running server. It has after {@link #kill} and {@link #start} what was committed before. */
    public static MariaDbServer started() {
        MariaDbServer server = new MariaDbServer();
        return server.process.started(server, server::isReady);
    }

    /** The port for clients. It stays the same when the server is started again. */
    public int port() {
        return port;
    }

    /** {@code jdbc:mariadb://127.0.0.1:PORT/test?user=root}. */
    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root";
    }

    /** Starts it again after {@link #kill}. */
    public void start() {
        process.start(this::isReady);
    }

    /** Ends it with SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Halts it with SIGSTOP: connections stay open and nothing answers. */
    public void pause() {
        process.signal("STOP");
    }

    /** Continues it after {@link #pause}. */
    public void resume() {
        process.signal("CONT");
    }

    /** Ends it and removes its data. */
    @Override
    public void close() {
        process.close();
    }

    /** Its first byte comes when it answers. */
    private boolean isReady() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(MILLIS);
            return socket.getInputStream().read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }
}
