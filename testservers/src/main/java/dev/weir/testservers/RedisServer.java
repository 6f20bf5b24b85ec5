package dev.weir.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@code redis-server} on a free port of 127.0.0.1. Thread-safe; the methods block until the server has done it. */
public final class RedisServer implements AutoCloseable {
    private final int port;
    private final Path directory;
    private final ServerProcess process;

    /** It does not run yet. */
    RedisServer(List<String> settings) {
        this(ServerProcess.freePort(), settings);
    }

    /** It does not run yet. */
    RedisServer(int port, List<String> settings) {
        this.port = port;
        directory = ServerProcess.newDirectory("redis");
        List<String> command = new ArrayList<>(List.of(Server.REDIS.command(), "--port", Integer.toString(port)));
        command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--dir", directory.toString()));
        command.addAll(settings);
        process = ServerProcess.of(directory, command);
    }

    /**
     * A running server that forgets all when it ends.
     *
     * @param settings as on the command line: {@code "--requirepass", "secret"}
     */
    public static RedisServer inMemory(String... settings) {
        return started(new RedisServer(List.of(settings)));
    }

    /** A running server that has after {@link #kill} and {@link #start} what it answered for before. */
    public static RedisServer durable(String... settings) {
        List<String> all = new ArrayList<>(List.of("--appendonly", "yes", "--appendfsync", "no"));
        all.addAll(List.of(settings));
        return started(new RedisServer(all));
    }

    private static RedisServer started(RedisServer server) {
        try {
            server.start();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** The port. It stays the same when the server is started again. */
    public int port() {
        return port;
    }

    Path directory() {
        return directory;
    }

    /** {@code redis://127.0.0.1:PORT}. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
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

    /** Also if it answers that a password is needed. */
    private boolean isReady() {
        return isReady(port);
    }

    static boolean isReady(int port) {
        String answer = RespSocket.ask(port, "PING");
        return answer.equals("+PONG") || answer.startsWith("-NOAUTH");
    }
}
