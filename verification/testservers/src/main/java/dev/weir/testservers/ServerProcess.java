package dev.weir.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server in a process of its own, with a directory for its data. It is killed when this process ends, however that ends. */
final class ServerProcess implements AutoCloseable {
    private static final int ATTEMPTS = 1_000;
    private static final int BETWEEN_ATTEMPTS_MILLIS = 20;

    private static final int LOWEST_PORT = 10_000;
    private static final int PORTS = 22_000;
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 137 % PORTS));

    private final List<String> command;
    private final Path directory;
    private final Map<String, String> environment;
    private @Nullable Process process;
    private @Nullable Process guard;

    private ServerProcess(List<String> command, Path directory, Map<String, String> environment) {
        this.command = List.copyOf(command);
        this.directory = directory;
        this.environment = Map.copyOf(environment);
    }

    static ServerProcess of(Path directory, List<String> command) {
        return of(directory, command, Map.of());
    }

    /** With variables beside those of this process. */
    static ServerProcess of(Path directory, List<String> command, Map<String, String> environment) {
        return new ServerProcess(command, directory, environment);
    }

    static Path newDirectory(String name) {
        try {
            return Files.createTempDirectory("weir-" + name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Not one that the operating system gives to clients: while a server is not running, a client that tries to connect could
     * get the server's port, and the server could not start again.
     */
    static int freePort() {
        return freePorts(0);
    }

    /** The same, for a server that listens at a second port too, so much higher than the first. */
    static int freePorts(int toSecond) {
        for (int attempt = 0; attempt < PORTS; attempt++) {
            int port = LOWEST_PORT + NEXT_PORT.getAndIncrement() % (PORTS - toSecond);
            if (isFree(port) && isFree(port + toSecond)) {
                return port;
            }
        }
        throw new IllegalStateException("no port is free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** Returns when the server is ready. */
    synchronized void start(BooleanSupplier isReady) {
        if (process != null) {
            throw new IllegalStateException(command.get(0) + " runs already");
        }
        Process started = started();
        process = started;
        guard = guard(started.pid());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (isReady.getAsBoolean()) {
                return;
            }
            if (ended(started)) {
                break;
            }
        }
        String log = log();
        kill();
        throw new IllegalStateException(command.get(0) + " does not start: " + log);
    }

    private Process started() {
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
            builder.environment().putAll(environment);
            return builder.start();
        } catch (IOException e) {
            throw new IllegalStateException(command.get(0) + " cannot be started", e);
        }
    }

    /** Kills the server and removes its data when its standard input ends, which the operating system closes with this process. */
    private Process guard(long pid) {
        try {
            return new ProcessBuilder("sh", "-c", "read end; kill -9 " + pid + "; rm -rf '" + directory + "'").start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean ended(Process process) {
        try {
            return process.waitFor(BETWEEN_ATTEMPTS_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** With SIGKILL, and all that it has started; nothing is written any more. Its data stay. Does nothing if the server does not run. */
    synchronized void kill() {
        if (process == null) {
            return;
        }
        Objects.requireNonNull(guard).destroyForcibly();
        List<ProcessHandle> family = family(process.toHandle());
        family.forEach(ProcessHandle::destroyForcibly);
        family.forEach(member -> member.onExit().join());
        process = null;
        guard = null;
    }

    /** "STOP" halts the process and those that it has started, "CONT" lets them continue. */
    synchronized void signal(String name) {
        ProcessHandle first = Objects.requireNonNull(process, "runs").toHandle();
        // Once the first is halted it starts no other.
        send(name, List.of(first));
        send(name, family(first));
    }

    private void send(String name, List<ProcessHandle> receivers) {
        List<String> words = new ArrayList<>(List.of("kill", "-" + name));
        receivers.forEach(receiver -> words.add(Long.toString(receiver.pid())));
        run(directory, words);
    }

    private static List<ProcessHandle> family(ProcessHandle first) {
        return Stream.concat(Stream.of(first), first.descendants()).collect(Collectors.toList());
    }

    /** Returns when a command has ended well. */
    static void run(Path directory, List<String> command) {
        String unused = printed(directory, command);
    }

    /** What a command has printed that has ended well. */
    static String printed(Path directory, List<String> command) {
        try {
            Process running = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            String answer = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (running.waitFor() != 0) {
                throw new IllegalStateException(command + " answered " + running.exitValue() + ": " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while this ran: " + command, e);
        }
    }

    private Path logFile() {
        return directory.resolve("server.log");
    }

    private String log() {
        try {
            return Files.readString(logFile());
        } catch (IOException e) {
            return "no log: " + e.getMessage();
        }
    }

    /** Kills the server and removes its data. It can be started again. */
    synchronized void erase() {
        kill();
        empty(directory);
    }

    private static void empty(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(file -> !file.equals(directory))
                    .sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes a directory, if it is there. */
    static void remove(Path directory) {
        if (Files.exists(directory)) {
            empty(directory);
            directory.toFile().delete();
        }
    }

    /** Kills the server and removes its data and its directory. */
    @Override
    public synchronized void close() {
        kill();
        remove(directory);
    }
}
