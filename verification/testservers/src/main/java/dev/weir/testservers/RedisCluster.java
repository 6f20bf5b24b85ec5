package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis Cluster on free ports of 127.0.0.1: the nodes 0 to 2 start as masters, the nodes 3 to 5, if there are any, as their
 * replicas in the same order. A master that does not answer for a time is replaced by its replica. Thread-safe; the methods block
 * until the servers have done it.
 */
public final class RedisCluster implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;

    /** Between nodes a port is used that Redis 6 does not let one choose: so much higher than that for clients. */
    private static final int TO_BUS_PORT = 10_000;

    /** So long that a node that only waits for a processor is not replaced. */
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(15);

    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster(int size, Duration nodeTimeout, String fullCoverage) {
        List<String> settings = List.of(
                "--cluster-require-full-coverage", fullCoverage,
                "--cluster-enabled", "yes",
                "--cluster-config-file", "nodes.conf",
                "--cluster-node-timeout", Long.toString(nodeTimeout.toMillis()),
                "--cluster-announce-ip", "127.0.0.1",
                "--repl-diskless-sync-delay", "0");
        for (int i = 0; i < size; i++) {
            nodes.add(new RedisServer(ServerProcess.freePorts(TO_BUS_PORT), settings));
        }
        for (int i = 0; i < size; i++) {
            writeNodes(i);
        }
    }

    /** Three masters: the slots of one that is killed are not served until it is started again. */
    public static RedisCluster started() {
        return started(MASTERS, NODE_TIMEOUT, "yes");
    }

    /** Three masters: while one does not answer, the others serve their slots, also when they have noticed after this long. */
    public static RedisCluster ofIndependentMasters(Duration nodeTimeout) {
        return started(MASTERS, nodeTimeout, "no");
    }

    /** Three masters with a replica each. A master is replaced after 15 seconds. */
    public static RedisCluster withReplicas() {
        return withReplicas(NODE_TIMEOUT);
    }

    /** Three masters with a replica each. A master that does not answer for this long is replaced. */
    public static RedisCluster withReplicas(Duration nodeTimeout) {
        return started(2 * MASTERS, nodeTimeout, "yes");
    }

    private static RedisCluster started(int size, Duration nodeTimeout, String fullCoverage) {
        RedisCluster cluster = new RedisCluster(size, nodeTimeout, fullCoverage);
        try {
            cluster.nodes.forEach(RedisServer::start);
            cluster.awaitOk();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /* Each node is started with the file that it would have written after all nodes had met. */
    private void writeNodes(int self) {
        String lines = IntStream.range(0, nodes.size())
                .mapToObj(i -> node(i, i == self ? "myself," : ""))
                .collect(Collectors.joining());
        try {
            Files.writeString(
                    nodes.get(self).directory().resolve("nodes.conf"),
                    lines + "vars currentEpoch " + MASTERS + " lastVoteEpoch 0\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String node(int i, String self) {
        int master = i % MASTERS;
        String address = id(i) + " 127.0.0.1:" + port(i) + "@" + (port(i) + TO_BUS_PORT) + " " + self;
        return i < MASTERS
                ? address + "master - 0 0 " + (i + 1) + " connected " + slots(i) + "\n"
                : address + "slave " + id(master) + " 0 0 " + (master + 1) + " connected\n";
    }

    private static String id(int i) {
        return Integer.toString(i).repeat(40);
    }

    private static String slots(int master) {
        return SLOTS * master / MASTERS + "-" + (SLOTS * (master + 1) / MASTERS - 1);
    }

    /** The port of a node. It stays the same when the node is started again. */
    public int port(int node) {
        return nodes.get(node).port();
    }

    /** {@code redis://127.0.0.1:PORT} of each node. */
    public List<String> uris() {
        return nodes.stream().map(RedisServer::uri).collect(Collectors.toList());
    }

    /** Ends a node with SIGKILL. */
    public void kill(int node) {
        nodes.get(node).kill();
    }

    /** Starts a node again after {@link #kill}; the cluster may need some seconds more, see {@link #awaitOk}. */
    public void start(int node) {
        nodes.get(node).start();
    }

    /** Halts a node with SIGSTOP: connections stay open and nothing answers. */
    public void pause(int node) {
        nodes.get(node).pause();
    }

    /** Continues a node after {@link #pause}. */
    public void resume(int node) {
        nodes.get(node).resume();
    }

    /** How often all nodes have answered an error, by the first word of its message: {@code "MOVED"}. */
    public long errors(String name) {
        return nodes.stream().mapToLong(node -> node.errors(name)).sum();
    }

    /** True if a node runs and is a master by what it knows. */
    public boolean isMaster(int node) {
        return role(node).contains("role:master");
    }

    /** Returns when a node is a master. */
    public void awaitMaster(int node) {
        Await.that(() -> isMaster(node), () -> "node " + node + " is a master, but is " + role(node));
    }

    /** Returns when all nodes run, serve all slots, and each replica has the data of its master. */
    public void awaitOk() {
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            Await.that(
                    () -> RespSocket.ask(port(node), "CLUSTER INFO").contains("cluster_state:ok")
                            && (role(node).contains("role:master") || role(node).contains("master_link_status:up")),
                    () -> "node " + node + ": " + RespSocket.ask(port(node), "CLUSTER INFO") + role(node));
        }
    }

    private String role(int node) {
        return RespSocket.ask(port(node), "INFO replication");
    }

    /** Ends all nodes and removes their data. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
