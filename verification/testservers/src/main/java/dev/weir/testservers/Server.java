package dev.weir.testservers;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program that tests start. It is looked for on the PATH, then where {@code ./weir test} puts it, then where Maven unpacks the
 * Redis that is an artifact; PostgreSQL is an artifact on the class path. {@code -Dweir.redis-server=valkey-server} and {@code -Dweir.etcd=...} name another program.
 */
public enum Server {
    /** A Redis; also its Sentinels and the nodes of its Cluster. */
    REDIS("redis-server"),
    /** An etcd. */
    ETCD("etcd"),
    /** A Prometheus. */
    PROMETHEUS("prometheus"),
    /** The tool beside it, which checks rules and what is scraped. */
    PROMTOOL("promtool"),
    /** A PostgreSQL. */
    POSTGRES("postgres"),
    /** A MariaDB. */
    MARIADB("mariadbd"),
    /** The tool that gives a server a clock of its own, see {@link RedisServer#withClock}; on Linux only. */
    FAKETIME("faketime");

    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+(?:\\.\\d+)?");

    private final String program;

    Server(String program) {
        this.program = program;
    }

    /** The name of the program. */
    public String program() {
        return program;
    }

    /** The file that is started, if this machine has one that runs. */
    public Optional<Path> found() {
        return found(candidates());
    }

    /** The version that the file answers, such as 7.0.15; empty if no file runs. */
    public Optional<String> version() {
        return found().flatMap(Server::version);
    }

    /**
     * The file, as the first word of a command.
     *
     * @throws IllegalStateException if this machine has none; says how to get it
     */
    public String command() {
        return command(candidates());
    }

    String command(Stream<Path> candidates) {
        return found(candidates)
                .orElseThrow(() -> new IllegalStateException(program + " is missing: ./weir test gets it"))
                .toString();
    }

    private static Optional<Path> found(Stream<Path> candidates) {
        return candidates
                .filter(Files::isRegularFile)
                .filter(file -> version(file).isPresent())
                .findFirst();
    }

    private Stream<Path> candidates() {
        String name = System.getProperty("weir." + program, program);
        Stream<Path> onPath = Pattern.compile(File.pathSeparator)
                .splitAsStream(environment("PATH", "") + File.pathSeparator + "/usr/sbin")
                .map(folder -> Path.of(folder).resolve(name));
        return name.equals(program) ? Stream.concat(onPath, inFolders()) : onPath;
    }

    private Stream<Path> inFolders() {
        return this == POSTGRES
                ? Stream.of(this).map(server -> UnpackedPostgres.program())
                : Stream.of(cached(), unpacked());
    }

    private Path cached() {
        String home = environment("HOME", System.getProperty("user.home"));
        String caches = environment("XDG_CACHE_HOME", home + "/.cache");
        return Path.of(caches, "weir", "servers", program);
    }

    /** Beside the classes of this module, or beside their jar. */
    private Path unpacked() {
        String system = System.getProperty("os.name").startsWith("Mac") ? "darwin" : "linux";
        String processor = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
        try {
            return Path.of(Server.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolveSibling("servers")
                    .resolve(String.join("-", program, system, processor));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String environment(String name, String otherwise) {
        @Nullable String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    private static Optional<String> version(Path file) {
        try {
            Process process = new ProcessBuilder(file.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0
                    ? VERSION.matcher(answer).results().map(MatchResult::group).findFirst()
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
