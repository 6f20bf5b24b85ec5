package dev.weir.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.contract.TcpProxy;
import dev.weir.config.document.Format;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import dev.weir.config.source.Reading;
import dev.weir.testservers.ZooKeeperServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperSourceTest {
    private static ZooKeeperServer server;
    private static int documents;

    private final String path = "/shop/limits-" + documents++ + ".json";
    private final AtomicInteger changes = new AtomicInteger();
    private CuratorFramework client;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.started();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** With a policy that would make a foreground call wait for ever. */
    @BeforeEach
    void connect() throws Exception {
        client = CuratorFrameworkFactory.newClient(server.connection(), new RetryForever(100));
        client.start();
        client.blockUntilConnected(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private long write(String content) throws Exception {
        client.create().orSetData().creatingParentsIfNeeded().forPath(path, content.getBytes(UTF_8));
        return client.checkExists().forPath(path).getMzxid();
    }

    private void awaitChange(int before) {
        await().until(() -> changes.get() > before);
    }

    @Test
    void theServerTellsOfEachChangeAndAReadingHasItsTransaction() throws Exception {
        try (ZooKeeperSource source = ZooKeeperSource.of(client, path)) {
            source.watch(changes::incrementAndGet);
            assertTrue(source.read().isAbsent());
            for (int i = 0; i < 3; i++) {
                int before = changes.get();
                long transaction = write("{}" + i);
                awaitChange(before);
                Reading reading = source.read();
                assertEquals(transaction, reading.revision());
                assertEquals(Format.JSON, reading.format());
                assertTrue(reading.isWhole());
            }
            int before = changes.get();
            client.delete().forPath(path);
            awaitChange(before);
            assertTrue(source.read().isAbsent());
        }
        assertNull(client.checkExists().forPath(path), "the client stays open");
    }

    @Test
    void anEpochIsThatOfTheNode() throws Exception {
        try (ZooKeeperSource source = ZooKeeperSource.of(client, path)) {
            write("1");
            Reading first = source.read();
            write("2");
            assertEquals(first.epoch(), source.read().epoch());
            client.delete().forPath(path);
            write("3");
            Reading created = source.read();
            assertNotEquals(first.epoch(), created.epoch());
            assertTrue(created.revision() > first.revision());
        }
    }

    @Test
    void aLostSessionArmsTheWatchAndWritesTheStatusAgain() throws Exception {
        InstanceStatus status = new InstanceStatus("a", "1", "1", Result.ACCEPTED, List.of(), Instant.EPOCH);
        String node = path + "-status/a";
        write("{}");
        try (ZooKeeperSource source = ZooKeeperSource.of(client, path)) {
            source.watch(changes::incrementAndGet);
            source.read();
            source.acknowledge(status);
            assertEquals(session(), client.checkExists().forPath(node).getEphemeralOwner());
            long first = session();
            client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
            await().until(() -> {
                client.blockUntilConnected(1, TimeUnit.SECONDS);
                return session() != first && !reads(source).isAbsent();
            });
            assertNotEquals(first, session());
            await().until(() -> {
                reads(source);
                return client.checkExists().forPath(node) != null
                        && client.checkExists().forPath(node).getEphemeralOwner() == session();
            });
            await().until(() -> {
                int before = changes.get();
                write("{}");
                awaitChange(before);
                return true;
            });
        }
        await().until(() -> client.checkExists().forPath(node) == null);
    }

    private static Reading reads(ZooKeeperSource source) {
        try {
            return source.read();
        } catch (Exception e) {
            return Reading.absent();
        }
    }

    private long session() throws Exception {
        return client.getZookeeperClient().getZooKeeper().getSessionId();
    }

    /** It would vanish with the session that made it. */
    @Test
    void aStatusThatAFormerSessionLeftIsReplaced() throws Exception {
        String node = path + "-status/a";
        InstanceStatus status = new InstanceStatus("a", "1", "1", Result.ACCEPTED, List.of(), Instant.EPOCH);
        try (ZooKeeperSource source = ZooKeeperSource.of(client, path)) {
            try (CuratorFramework former =
                    CuratorFrameworkFactory.newClient(server.connection(), new RetryForever(100))) {
                former.start();
                former.create()
                        .creatingParentsIfNeeded()
                        .withMode(CreateMode.EPHEMERAL)
                        .forPath(node, new byte[] {1});
                source.acknowledge(status);
            }
            assertEquals(List.of(status), source.statuses());
            assertNotNull(client.checkExists().forPath(node));
        }
    }

    /** Each answer takes longer than the end of a session may. */
    @Test
    void theFirstStatusIsWrittenToASlowServerWithinTheTimeOfRequests() throws Exception {
        InstanceStatus status = new InstanceStatus("a", "1", "1", Result.ACCEPTED, List.of(), Instant.EPOCH);
        try (TcpProxy proxy = new TcpProxy(server.port());
                ZooKeeperSource source = ZooKeeperSource.connect("127.0.0.1:" + proxy.port(), path)) {
            await().ignoreExceptions().until(() -> source.read().isAbsent());
            proxy.latency(Duration.ofMillis(300));
            source.acknowledge(status);
            assertEquals(List.of(status), source.statuses());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "...", "/", "a/b", "../x", "%", "%2F", "a\0b", "zookeeper", "\u20ac \ud83d"})
    void anyNameOfAnInstanceWillDo(String instance) throws Exception {
        InstanceStatus status = new InstanceStatus(instance, "1", "1", Result.HELD, List.of("no"), Instant.EPOCH);
        InstanceStatus other = new InstanceStatus("other", "1", "1", Result.HELD, List.of(), Instant.EPOCH);
        try (ZooKeeperSource source = ZooKeeperSource.of(client, path)) {
            source.acknowledge(status);
            source.acknowledge(other);
            assertEquals(2, source.statuses().size());
            assertTrue(source.statuses().contains(other));
            assertEquals(2, client.getChildren().forPath(path + "-status").size());
        }
    }

    @Test
    void twoNamesNeverHaveTheSameNode() {
        assertEquals("a.b-c_1", NodeNames.escaped("a.b-c_1"));
        assertEquals("%2E%2E", NodeNames.escaped(".."));
        assertEquals("%252E%252E", NodeNames.escaped("%2E%2E"));
        assertEquals("%", NodeNames.escaped(""));
        assertEquals("%25", NodeNames.escaped("%"));
    }

    @Test
    void junkIsNotListed() throws Exception {
        client.create().creatingParentsIfNeeded().forPath(path + "-status/x", new byte[] {1, 2});
        try (ZooKeeperSource source = ZooKeeperSource.of(client, path)) {
            assertEquals(List.of(), source.statuses());
        }
    }

    @Test
    void afterCloseNothingIsReadAndNobodyIsCalled() throws Exception {
        ZooKeeperSource source = ZooKeeperSource.of(client, path);
        source.watch(changes::incrementAndGet);
        source.read();
        source.close();
        source.close();
        assertThrows(IllegalStateException.class, source::read);
        int before = changes.get();
        write("{}");
        try (ZooKeeperSource other = ZooKeeperSource.of(client, path)) {
            assertFalse(other.read().isAbsent());
        }
        assertEquals(before, changes.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "limits", "/", "/limits/", "/a//b", "/a/../b", "/a\0"})
    void pathsAreChecked(String bad) {
        assertThrows(IllegalArgumentException.class, () -> ZooKeeperSource.of(client, bad));
        assertThrows(IllegalArgumentException.class, () -> ZooKeeperSource.connect(server.connection(), bad));
    }
}
