package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@code postgres} on a free port of 127.0.0.1, with the user {@code weir}, who needs no password, and the database {@code postgres}.
 * It refuses to be run by root, so it runs as nobody where the tests are run by root. What is committed survives {@link #kill}, not a
 * failure of the machine. Thread-safe; the methods block until the server has done it.
 */
public final class PostgresServer extends ProgramServer {
    /** Of nobody and its group, whatever that is called. */
    private static final int NOBODY = 65_534;

    private final Path directory;
    private final List<String> user;

    private PostgresServer(int port, Path directory, List<String> user, List<String> words) {
        super(port, ServerProcess.of(directory, words));
        this.directory = directory;
        this.user = user;
    }

    /** It has no data yet. */
    private static PostgresServer with(String... settings) {
        int port = ServerProcess.freePort();
        Path directory = ServerProcess.newDirectory("postgres");
        List<String> user = user(directory);
        List<String> words = new ArrayList<>(user);
        words.addAll(List.of(Server.POSTGRES.command(), "-D", directory + "/data"));
        Stream<String> usual = Stream.of(
                "port=" + port,
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "fsync=off",
                "max_connections=200",
                "dynamic_shared_memory_type=mmap", // in its directory: a kill leaves nothing in /dev/shm
                "wal_retrieve_retry_interval=100ms");
        Stream.concat(usual, Stream.of(settings)).forEach(setting -> words.addAll(List.of("-c", setting)));
        return new PostgresServer(port, directory, user, words);
    }

    /**
     * A running server. It has after {@link #kill} and {@link #start} what was committed before.
     *
     * @param settings of its configuration, such as {@code "synchronous_commit=off"}
     */
    public static PostgresServer started(String... settings) {
        PostgresServer server = with(settings);
        return server.startedWith(server::initialize);
    }

    /**
     * A running replica of a server, which is ended for the copy and started again. It follows without being waited for: what the server
     * has committed last may be missing when the replica becomes a server by {@link #promote}.
     */
    public PostgresServer replica() {
        kill();
        PostgresServer replica = with("primary_conninfo=host=127.0.0.1 port=" + port() + " user=weir");
        try {
            return replica.startedWith(() -> {
                replica.run("cp", "-R", data(), replica.data());
                replica.run("touch", replica.data() + "/standby.signal");
            });
        } finally {
            start();
        }
    }

    private PostgresServer startedWith(Runnable initialized) {
        try {
            initialized.run();
            start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        return this;
    }

    private void initialize() {
        run(beside("initdb"), "-D", data(), "-U", "weir", "-A", "trust", "-E", "UTF8", "--no-locale", "-N");
    }

    private static String beside(String program) {
        return Path.of(Server.POSTGRES.command()).resolveSibling(program).toString();
    }

    private String data() {
        return directory + "/data";
    }

    /** The first words of commands, for a user who may run the server. The user gets the directory. */
    private static List<String> user(Path directory) {
        try {
            if (!Files.getAttribute(directory, "unix:uid").equals(0)) {
                return List.of();
            }
            Files.setAttribute(directory, "unix:gid", NOBODY);
            Files.setAttribute(directory, "unix:uid", NOBODY);
            return List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(String... words) {
        ServerProcess.run(
                directory, Stream.concat(user.stream(), Stream.of(words)).collect(Collectors.toList()));
    }

    /** {@code jdbc:postgresql://127.0.0.1:PORT/postgres?user=weir}. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?user=weir";
    }

    @Override
    public void start() {
        try {
            Files.deleteIfExists(state());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        super.start();
    }

    /** Makes a replica a server of its own, which can be written. */
    public void promote() {
        run(beside("pg_ctl"), "promote", "-w", "-D", data());
    }

    /** The last line that it writes into this file is its state: ready, or standby for a replica. A kill leaves the file there. */
    private Path state() {
        return Path.of(data(), "postmaster.pid");
    }

    @Override
    boolean isReady() {
        try {
            String state = Files.readString(state());
            return state.contains("\nready") || state.contains("\nstandby");
        } catch (IOException e) {
            return false;
        }
    }
}
