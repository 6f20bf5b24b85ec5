package dev.weir.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.contract.TcpProxy;
import dev.weir.share.ShareRegistry.View;
import dev.weir.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("real-time")
class ZooKeeperRegistryTest {
    /** A test that needs the end of a session brings it about. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static ZooKeeperServer server;
    private static CuratorFramework admin;
    private static int services;

    private final String path = "/weir/service" + services++;
    private final AtomicReference<ZooKeeper> session = new AtomicReference<>();
    private ZooKeeperRegistry registry;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperServer.started(Duration.ofMillis(100));
        admin = CuratorFrameworkFactory.newClient(server.connection(), new RetryNTimes(50, 100));
        admin.start();
    }

    @AfterAll
    static void stopServer() {
        admin.close();
        server.close();
    }

    @BeforeEach
    void open() {
        registry = ZooKeeperRegistry.connect(
                CuratorFrameworkFactory.builder()
                        .connectString(server.connection())
                        .sessionTimeoutMs((int) LEASE.toMillis())
                        .connectionTimeoutMs((int) LEASE.toMillis())
                        .zookeeperFactory((servers, timeout, watcher, readOnly) -> {
                            ZooKeeper made = new ZooKeeper(servers, timeout, watcher, readOnly);
                            session.set(made);
                            return made;
                        }),
                path,
                "a");
        assertFalse(renewed().isZero());
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private Stat member() throws Exception {
        return admin.checkExists().forPath(path + "/members/a");
    }

    private Duration renewed() {
        AtomicReference<Duration> renewed = new AtomicReference<>();
        await().ignoreExceptions().until(() -> {
            renewed.set(registry.renew());
            return true;
        });
        return Objects.requireNonNull(renewed.get());
    }

    @Test
    void Z3_aLostSessionIsReplacedByTheNextRenewalAndItsNodeIsNotMissedForAMoment() throws Exception {
        registry.renew();
        long first = member().getEphemeralOwner();
        AtomicInteger seen = new AtomicInteger();
        registry.watch("e", seen::incrementAndGet);
        Objects.requireNonNull(session.get()).getTestable().injectSessionExpiration();
        await().ignoreExceptions().until(() -> {
            registry.renew();
            return member().getEphemeralOwner() != first;
        });
        assertEquals(List.of("a"), registry.read("e").members());
        int before = seen.get();
        assertTrue(registry.replace("e", 0, "1"));
        await().until(() -> seen.get() > before);
    }

    @Test
    void aRenewalPromisesThreeQuartersOfTheSession() throws Exception {
        assertEquals(LEASE.multipliedBy(3).dividedBy(4), registry.renew());
        admin.delete().forPath(path + "/members/a");
        registry.renew();
        assertNotNull(member(), "a node that somebody deleted is created again");
    }

    @Test
    void anEntryThatWasDeletedAndCreatedAgainIsAnotherOne() throws Exception {
        String node = path + "/entries/e";
        assertTrue(registry.replace("e", 0, "1"));
        View view = registry.read("e");
        String incarnation =
                ZooKeeperRegistry.EntryNode.of(admin.getData().forPath(node)).incarnation();
        admin.delete().deletingChildrenIfNeeded().forPath(node);
        assertEquals(0, registry.read("e").version());
        assertFalse(registry.replace("e", view.version(), "2"));
        assertTrue(registry.replace("e", 0, "1"));
        assertNotEquals(view.version(), registry.read("e").version());
        assertFalse(registry.replace("e", view.version(), "2"));
        assertFalse(registry.write("e", incarnation, 0, "2"), "created again while the write was on its way");
    }

    /** What the child of an entry is for. */
    @Test
    void brokenTwin_theVersionOfANodeDoesNotTellThatItWasCreatedAgain() throws Exception {
        String node = path + "/entries/e";
        assertTrue(registry.replace("e", 0, "1"));
        int version = admin.checkExists().forPath(node).getVersion();
        admin.delete().deletingChildrenIfNeeded().forPath(node);
        assertTrue(registry.replace("e", 0, "new"));
        admin.setData().withVersion(version).forPath(node, "lost".getBytes(UTF_8));
        assertEquals("lost", registry.read("e").value());
    }

    @Test
    void Z5_whatSomebodyElseWroteIsReadAndReplaced() throws Exception {
        admin.create().creatingParentsIfNeeded().forPath(path + "/entries/e", "junk".getBytes(UTF_8));
        View view = registry.read("e");
        assertEquals("junk", view.value());
        assertFalse(registry.replace("e", 0, "1"));
        assertTrue(registry.replace("e", view.version(), "1"));
        View next = registry.read("e");
        assertEquals("1", next.value());
        assertFalse(registry.replace("e", view.version(), "2"));
        assertTrue(registry.replace("e", next.version(), "2"));
    }

    @Test
    void whenTheServerIsBackAllIsAsBefore() throws Exception {
        try (ZooKeeperServer own = ZooKeeperServer.started(Duration.ofMillis(100));
                ZooKeeperRegistry b = ZooKeeperRegistry.connect(own.connection(), path, "b", LEASE)) {
            b.renew();
            assertTrue(b.replace("e", 0, "1"));
            View view = b.read("e");
            AtomicInteger seen = new AtomicInteger();
            b.watch("e", seen::incrementAndGet);
            own.kill();
            assertThrows(Exception.class, b::renew);
            assertThrows(Exception.class, () -> b.read("e"));
            int before = seen.get();
            own.start();
            await().until(() -> seen.get() > before);
            await().ignoreExceptions()
                    .until(() -> !b.renew().isZero() && b.read("e").equals(view));
            assertTrue(b.replace("e", view.version(), "2"));
        }
    }

    /** Each answer takes longer than the end of a session may. */
    @Test
    void aSlowServerIsJoinedAndWrittenToWithinTheTimeOfRequests() throws Exception {
        try (ZooKeeperServer own = ZooKeeperServer.started();
                TcpProxy proxy = new TcpProxy(own.port());
                ZooKeeperRegistry slow =
                        ZooKeeperRegistry.connect("127.0.0.1:" + proxy.port(), path, "b", Duration.ofSeconds(60))) {
            await().ignoreExceptions().until(() -> slow.read("e").members().isEmpty());
            proxy.latency(Duration.ofMillis(300));
            assertFalse(slow.renew().isZero());
            assertTrue(slow.replace("e", 0, "1"));
            assertEquals(List.of("b"), slow.read("e").members());
        }
    }

    @Test
    void aNamespaceIsPutBeforeThePath() throws Exception {
        CuratorFrameworkFactory.Builder settings = CuratorFrameworkFactory.builder()
                .connectString(server.connection())
                .namespace("space");
        try (ZooKeeperRegistry spaced = ZooKeeperRegistry.connect(settings, path, "b")) {
            AtomicInteger seen = new AtomicInteger();
            spaced.watch("e", seen::incrementAndGet);
            spaced.renew();
            assertTrue(spaced.replace("e", 0, "1"));
            assertEquals(List.of("b"), spaced.read("e").members());
            assertNotNull(admin.checkExists().forPath("/space" + path + "/members/b"));
            assertEquals(0, registry.read("e").version());
            int before = seen.get();
            assertTrue(spaced.replace("e", spaced.read("e").version(), "2"));
            await().until(() -> seen.get() > before);
        }
    }

    @Test
    void afterCloseNothingIsDoneAndNobodyIsCalled() throws Exception {
        registry.close();
        registry.close();
        assertThrows(IllegalStateException.class, registry::renew);
        assertThrows(IllegalStateException.class, () -> registry.replace("e", 0, ""));
        assertThrows(IllegalStateException.class, () -> registry.watch("e", () -> {}));
        await().until(() -> member() == null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shop", "/", "/shop/", "/a//b", "/a/../b"})
    void pathsAreChecked(String bad) {
        assertThrows(IllegalArgumentException.class, () -> ZooKeeperRegistry.connect(server.connection(), bad));
    }

    @Test
    void timeOutsAndNamesAreChecked() {
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(1))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ZooKeeperRegistry.connect(server.connection(), path, "b", bad));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> ZooKeeperRegistry.connect(server.connection(), path, "b/c", LEASE));
    }
}
