package dev.weir.etcd;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.contract.TcpProxy;
import dev.weir.share.ShareRegistry.View;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.CompactOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("real-time")
@Needs(Server.ETCD)
class EtcdRegistryTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static EtcdServer server;
    private static Client admin;
    private static int services;

    private final String prefix = "weir/test" + services++;
    private final EtcdRegistry registry = open(server.uri(), "a");
    private final AtomicInteger seen = new AtomicInteger();

    @BeforeAll
    static void startServer() {
        server = EtcdServer.started();
        admin = Client.builder().endpoints(server.uri()).build();
    }

    @AfterAll
    static void stopServer() {
        admin.close();
        server.close();
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private EtcdRegistry open(String uri, String instance) {
        return EtcdRegistry.connect(Client.builder().endpoints(uri), prefix, instance, LEASE);
    }

    private static <T> T done(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    private KeyValue member() throws Exception {
        return done(admin.getKVClient().get(EtcdRequests.bytes(prefix + "/members/a")))
                .getKvs()
                .get(0);
    }

    @Test
    void Z3_aLeaseThatHasEndedIsReplacedByTheNextRenewal() throws Exception {
        assertEquals(LEASE, registry.renew());
        long first = member().getLease();
        done(admin.getLeaseClient().revoke(first));
        assertEquals(List.of(), registry.read("e").members());
        assertEquals(LEASE, registry.renew());
        assertEquals(List.of("a"), registry.read("e").members());
        assertNotEquals(first, member().getLease());
    }

    @Test
    void aKeyThatSomebodyDeletedIsPutAgain() throws Exception {
        registry.renew();
        done(admin.getKVClient().delete(EtcdRequests.bytes(prefix + "/members/a")));
        registry.renew();
        assertEquals(List.of("a"), registry.read("e").members());
    }

    @Test
    void aKeyOfAnOlderLeaseIsReplacedSoThatItDoesNotVanishWithThat() throws Exception {
        registry.renew();
        KeyValue first = member();
        done(admin.getLeaseClient().revoke(first.getLease()));
        done(admin.getKVClient().put(first.getKey(), first.getValue()));
        registry.renew();
        assertNotEquals(0, member().getLease());
    }

    @Test
    void anEntryThatWasDeletedAndCreatedAgainIsAnotherOne() throws Exception {
        assertTrue(registry.replace("e", 0, "1"));
        View view = registry.read("e");
        done(admin.getKVClient().delete(EtcdRequests.bytes(prefix + "/entries/e")));
        assertEquals(0, registry.read("e").version());
        assertFalse(registry.replace("e", view.version(), "2"));
        assertTrue(registry.replace("e", 0, "1"));
        assertFalse(registry.replace("e", view.version(), "2"));
    }

    @Test
    void Z3_historyThatWasCompactedMeanwhileIsNotMissed() throws Exception {
        try (TcpProxy proxy = new TcpProxy(server.port());
                EtcdRegistry b = open("http://127.0.0.1:" + proxy.port(), "b")) {
            b.watch("e", seen::incrementAndGet);
            b.read("e");
            proxy.cut();
            assertThrows(Exception.class, b::renew);
            assertTrue(registry.replace("e", 0, "1"));
            long version = registry.read("e").version();
            assertTrue(registry.replace("e", version, "2"));
            done(admin.getKVClient()
                    .compact(
                            registry.read("e").version(),
                            CompactOption.builder().withCompactPhysical(true).build()));
            int before = seen.get();
            proxy.restore();
            await().until(() -> seen.get() > before);
            assertEquals("2", b.read("e").value());
            int last = seen.get();
            assertTrue(registry.replace("e", registry.read("e").version(), "3"));
            await().until(() -> seen.get() > last);
        }
    }

    @Test
    void whenTheServerIsBackAllIsAsBefore() throws Exception {
        try (EtcdServer own = EtcdServer.started();
                EtcdRegistry b = open(own.uri(), "b")) {
            b.renew();
            assertTrue(b.replace("e", 0, "1"));
            View view = b.read("e");
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

    @Test
    void afterCloseNothingIsDone() throws Exception {
        registry.renew();
        registry.close();
        registry.close();
        assertThrows(IllegalStateException.class, registry::renew);
        assertThrows(IllegalStateException.class, () -> registry.replace("e", 0, ""));
        assertThrows(IllegalStateException.class, () -> registry.watch("e", () -> {}));
    }

    @Test
    void argumentsAreChecked() {
        var client = Client.builder().endpoints(server.uri());
        assertThrows(IllegalArgumentException.class, () -> EtcdRegistry.connect(client, ""));
        assertThrows(IllegalArgumentException.class, () -> EtcdRegistry.connect(client, "p", "b/c", LEASE));
        assertThrows(
                IllegalArgumentException.class, () -> EtcdRegistry.connect(client, "p", "b", Duration.ofMillis(999)));
    }
}
