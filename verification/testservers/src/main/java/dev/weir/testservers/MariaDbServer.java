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
public final class MariaDbServer extends ProgramServer {
    private static final int MILLIS = 1_000;

    private MariaDbServer(int port, Path directory, List<String> words) {
        super(port, ServerProcess.of(directory, words));
    }

    private static List<String> words(int port, Path directory) {
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
        return words;
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
        int port = ServerProcess.freePort();
        Path directory = ServerProcess.newDirectory("mariadb");
        List<String> words = words(port, directory);
        MariaDbServer server = new MariaDbServer(port, directory, words);
        initialize(directory, words);
        return started(server);
    }

    /** {@code jdbc:mariadb://127.0.0.1:PORT/test?user=root}. */
    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/test?user=root";
    }

    /** Its first byte comes when it answers. */
    @Override
    boolean isReady() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(MILLIS);
            return socket.getInputStream().read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }
}
