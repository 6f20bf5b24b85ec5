package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@code redis-server} on a free port of 127.0.0.1. Thread-safe; the methods block until the server has done it. */
public final class RedisServer extends ProgramServer {
    private final Path directory;
    private final @Nullable ServerClock clock;

    /** It does not run yet. */
    RedisServer(List<String> settings) {
        this(ServerProcess.freePort(), settings);
    }

    /** It does not run yet. */
    RedisServer(int port, List<String> settings) {
        this(port, ServerProcess.newDirectory("redis"), null, settings);
    }

    private RedisServer(int port, Path directory, @Nullable ServerClock clock, List<String> settings) {
        super(port, process(port, directory, clock, settings));
        this.directory = directory;
        this.clock = clock;
    }

    private static ServerProcess process(int port, Path directory, @Nullable ServerClock clock, List<String> settings) {
        List<String> command = new ArrayList<>(List.of(Server.REDIS.command(), "--port", Integer.toString(port)));
        command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--dir", directory.toString()));
        command.addAll(settings);
        return ServerProcess.of(directory, command, clock == null ? Map.of() : clock.environment());
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

    /** A running server that forgets all when it ends, and has a clock of its own. Needs {@link Server#FAKETIME}. */
    public static RedisServer withClock(String... settings) {
        Path directory = ServerProcess.newDirectory("redis");
        ServerClock clock = new ServerClock(directory);
        return started(new RedisServer(ServerProcess.freePort(), directory, clock, List.of(settings)));
    }

    Path directory() {
        return directory;
    }

    /** {@code redis://127.0.0.1:PORT}. */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Starts it again after {@link #kill}; returns already while it loads its data. */
    public void startLoading() {
        process().start(() -> isReady() || isLoading());
    }

    /** Whether it runs, and loads its data. */
    public boolean isLoading() {
        return RespSocket.ask(port(), "PING").startsWith("-LOADING");
    }

    /**
     * Sets its clock, at once, to so much more than that of the machine.
     *
     * @throws IllegalStateException if it was not made by {@link #withClock}
     */
    public void setClock(Duration ahead) {
        if (clock == null) {
            throw new IllegalStateException("the server has the clock of the machine");
        }
        clock.set(ahead);
    }

    /** How often it has answered an error, by the first word of its message: {@code "MOVED"}. */
    public long errors(String name) {
        return number(info("errorstats"), "errorstat_" + name + ":count=");
    }

    /** How many keys it has removed for want of memory. */
    public long evictedKeys() {
        return number(info("stats"), "evicted_keys:");
    }

    private String info(String section) {
        return RespSocket.ask(port(), "INFO " + section);
    }

    private static long number(String text, String before) {
        int at = text.indexOf(before);
        return at < 0 ? 0 : Long.parseLong(text.substring(at + before.length()).split("[^0-9]", 2)[0]);
    }

    /** Also if it answers that a password is needed. */
    @Override
    boolean isReady() {
        return isReady(port());
    }

    static boolean isReady(int port) {
        String answer = RespSocket.ask(port, "PING");
        return answer.equals("+PONG") || answer.startsWith("-NOAUTH");
    }

    /** The clock of one server, which libfaketime reads from a file each time. Others keep the clock of the machine. */
    private static final class ServerClock {
        private final Path directory;
        private final Path file;

        /** For a server that has this directory. */
        ServerClock(Path directory) {
            this.directory = directory;
            file = directory.resolve("clock");
            set(Duration.ZERO);
        }

        /* The allocator of a Redis asks for the time before libfaketime can answer: it gets the allocator of the C library. */
        Map<String, String> environment() {
            String library = ServerProcess.printed(
                            directory, List.of(Server.FAKETIME.command(), "-f", "+0", "printenv", "LD_PRELOAD"))
                    .strip();
            return Map.of(
                    "LD_PRELOAD", library + " libc.so.6",
                    "FAKETIME_TIMESTAMP_FILE", file.toString(),
                    "FAKETIME_NO_CACHE", "1",
                    "FAKETIME_DISABLE_SHM", "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }

        /** The file is whole whenever it is read. */
        void set(Duration ahead) {
            try {
                Path next = directory.resolve("clock.next");
                Files.writeString(next, (ahead.isNegative() ? "" : "+") + ahead.toSeconds() + "\n");
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
