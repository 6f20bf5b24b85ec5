package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A primary with one replica, and three Sentinels, on free ports of 127.0.0.1. A primary that does not answer for half a second
 * is replaced by the replica. Thread-safe; the methods block until the servers have done it.
 */
public final class RedisSentinels implements AutoCloseable {
    /** The name by which Sentinels know the primary. */
    public static final String MASTER = "weir";

    private static final int SENTINELS = 3;

    /** Sentinels ask for the state of servers each ten seconds otherwise. */
    private static final String HURRY = "SENTINEL DEBUG info-period 200 ask-period 200 publish-period 200";

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final List<ServerProcess> sentinels = new ArrayList<>();

    private RedisSentinels() {
        servers.add(new RedisServer(List.of("--repl-diskless-sync-delay", "0")));
        servers.add(new RedisServer(List.of(
                "--repl-diskless-sync-delay",
                "0",
                "--replicaof",
                "127.0.0.1",
                Integer.toString(servers.get(0).port()))));
        IntStream.range(0, SENTINELS).forEach(i -> ports.add(ServerProcess.freePort()));
        IntStream.range(0, SENTINELS).forEach(i -> sentinels.add(sentinel(i)));
    }

    /* Each Sentinel is started with the file that it would have written after it had met the others. */
    private ServerProcess sentinel(int self) {
        Path directory = ServerProcess.newDirectory("sentinel");
        Path file = directory.resolve("sentinel.conf");
        String others = IntStream.range(0, SENTINELS)
                .filter(i -> i != self)
                .mapToObj(i -> "sentinel known-sentinel weir 127.0.0.1 " + ports.get(i) + " " + id(i) + "\n")
                .collect(Collectors.joining());
        try {
            Files.writeString(
                    file,
                    """
                    port %d
                    bind 127.0.0.1
                    dir %s
                    sentinel myid %s
                    sentinel monitor weir 127.0.0.1 %d 2
                    sentinel down-after-milliseconds weir 2000
                    sentinel failover-timeout weir 2000
                    sentinel parallel-syncs weir 1
                    sentinel known-replica weir 127.0.0.1 %d
                    """.formatted(
                                            ports.get(self),
                                            directory,
                                            id(self),
                                            servers.get(0).port(),
                                            servers.get(1).port())
                            + others);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ServerProcess.of(directory, List.of(Server.REDIS.command(), file.toString(), "--sentinel"));
    }

    private static String id(int sentinel) {
        return Integer.toString(sentinel).repeat(40);
    }

    /** All of them running, and ready to replace the primary. */
    public static RedisSentinels started() {
        RedisSentinels all = new RedisSentinels();
        try {
            all.servers.forEach(RedisServer::start);
            for (int i = 0; i < SENTINELS; i++) {
                int port = all.ports.get(i);
                all.sentinels.get(i).start(() -> RedisServer.isReady(port));
                RespSocket.ask(port, HURRY);
            }
            all.awaitReady();
        } catch (RuntimeException e) {
            all.close();
            throw e;
        }
        return all;
    }

    /** {@code redis-sentinel://127.0.0.1:PORT,127.0.0.1:PORT,127.0.0.1:PORT#weir}. */
    public String uri() {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",", "redis-sentinel://", ""))
                + "#"
                + MASTER;
    }

    /** The port of the primary that the Sentinels name now. */
    public int primaryPort() {
        for (RedisServer server : servers) {
            if (ports.stream().filter(port -> names(port, server.port())).count() > SENTINELS / 2) {
                return server.port();
            }
        }
        return -1;
    }

    private static boolean names(int sentinel, int primary) {
        return RespSocket.ask(sentinel, "SENTINEL get-master-addr-by-name weir").contains("\n" + primary + "\n");
    }

    /** The server that the Sentinels name now. */
    public RedisServer primary() {
        int port = primaryPort();
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no primary"));
    }

    /** Ends the primary with SIGKILL, and returns when the Sentinels have made the other server the primary. */
    public void failOver() {
        RedisServer killed = primary();
        killed.kill();
        awaitReplaced(killed);
    }

    /** Returns when the Sentinels have made the other server the primary. */
    public void awaitReplaced(RedisServer replaced) {
        Await.that(
                () -> {
                    int port = primaryPort();
                    return port > 0 && port != replaced.port() && info(port).contains("role:master");
                },
                () -> "another primary than " + replaced.port());
    }

    /** Starts the server that was killed as a replica of the other, and returns when another {@link #failOver} can follow. */
    public void startKilled() {
        int primary = primaryPort();
        for (RedisServer server : servers) {
            if (info(server.port()).isEmpty()) {
                server.start();
                RespSocket.ask(server.port(), "REPLICAOF 127.0.0.1 " + primary);
            }
        }
        awaitReady();
    }

    /** Returns when one server is the primary, the other its replica, and another {@link #failOver} can follow. */
    public void awaitReady() {
        Await.that(
                this::isReady,
                () -> ports.stream()
                        .map(port -> RespSocket.ask(port, "SENTINEL replicas weir"))
                        .collect(Collectors.joining("\n")));
    }

    private boolean isReady() {
        int primary = primaryPort();
        return primary > 0
                && servers.stream()
                        .map(RedisServer::port)
                        .allMatch(port ->
                                info(port).contains(port == primary ? "connected_slaves:1" : "master_link_status:up"))
                && ports.stream().allMatch(RedisSentinels::seesAll);
    }

    private static boolean seesAll(int sentinel) {
        String replicas = RespSocket.ask(sentinel, "SENTINEL replicas weir");
        return RespSocket.ask(sentinel, "SENTINEL ckquorum weir").startsWith("+OK 3")
                && replicas.contains("\nflags\nslave\n")
                && replicas.contains("\nmaster-link-status\nok\n");
    }

    private static String info(int port) {
        return RespSocket.ask(port, "INFO replication");
    }

    /** Ends all of them and removes their data. */
    @Override
    public void close() {
        sentinels.forEach(ServerProcess::close);
        servers.forEach(RedisServer::close);
    }
}
