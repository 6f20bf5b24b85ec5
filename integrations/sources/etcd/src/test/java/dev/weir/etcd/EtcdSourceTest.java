package dev.weir.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.contract.TcpProxy;
import dev.weir.config.document.Format;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import dev.weir.config.source.Reading;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.EtcdServer;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@Needs(Server.ETCD)
class EtcdSourceTest {
    private static EtcdServer server;
    private static Client client;
    private static int documents;

    private final String key = "shop/" + documents++ + ".json";
    private final AtomicInteger changes = new AtomicInteger();

    @BeforeAll
    static void start() {
        server = EtcdServer.started();
        client = Client.builder().endpoints(server.uri()).build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static <T> T done(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private long put(String value) throws Exception {
        return done(client.getKVClient().put(bytes(key), bytes(value)))
                .getHeader()
                .getRevision();
    }

    private void awaitChange(int before) {
        await().until(() -> changes.get() > before);
    }

    @Test
    void theServerTellsOfEachChangeAndAReadingHasItsRevision() throws Exception {
        try (EtcdSource source = EtcdSource.of(client, key)) {
            source.watch(changes::incrementAndGet);
            assertTrue(source.read().isAbsent());
            for (int i = 0; i < 3; i++) {
                int before = changes.get();
                long revision = put("{}" + i);
                awaitChange(before);
                Reading reading = source.read();
                assertEquals(revision, reading.revision());
                assertEquals(Format.JSON, reading.format());
                assertTrue(reading.isWhole());
            }
            int before = changes.get();
            done(client.getKVClient().delete(bytes(key)));
            awaitChange(before);
            assertTrue(source.read().isAbsent());
        }
        assertFalse(done(client.getClusterClient().listMember()).getMembers().isEmpty(), "the client stays open");
    }

    @Test
    void anEpochIsThatOfTheClusterAndSurvivesARestart() throws Exception {
        put("1");
        try (EtcdServer other = EtcdServer.started();
                Client writer = Client.builder().endpoints(other.uri()).build();
                EtcdSource here = EtcdSource.of(client, key);
                EtcdSource there = EtcdSource.connect(Client.builder().endpoints(other.uri()), key)) {
            done(writer.getKVClient().put(bytes(key), bytes("1")));
            String epoch = there.read().epoch();
            assertNotEquals("", epoch);
            assertNotEquals(here.read().epoch(), epoch);
            other.kill();
            other.start();
            await().ignoreExceptions().until(() -> there.read().epoch().equals(epoch));
        }
    }

    /** Its addresses are the same, so the id of the cluster is too, and revisions begin again. */
    @Test
    void aServerThatWasRebuiltIsFollowedWithoutARestart() throws Exception {
        VirtualTime time = new VirtualTime();
        try (EtcdServer other = EtcdServer.started()) {
            for (int i = 1; i <= 20; i++) {
                write(other, i);
            }
            try (LimiterRegistry registry = LimiterRegistry.builder()
                    .source(EtcdSource.connect(Client.builder().endpoints(other.uri()), key))
                    .ticker(time)
                    .alarm(time)
                    .build()) {
                assertEquals("r21", registry.status().version());
                other.erase();
                other.start();
                write(other, 33);
                await().pollInterval(Duration.ofMillis(20)).until(() -> {
                    time.advance(Duration.ofMillis(200));
                    return registry.status().version().equals("r2");
                });
                assertEquals(33, registry.limiter("a").snapshot().limit());
                assertTrue(registry.status().problems().get(0).rule().contains("the server was rebuilt"));
            }
        }
    }

    private void write(EtcdServer to, int limit) throws Exception {
        try (Client writer = Client.builder().endpoints(to.uri()).build()) {
            done(writer.getKVClient()
                    .put(bytes(key), bytes("{ \"limits\": { \"a\": { \"concurrency\": " + limit + " } } }")));
        }
    }

    /** The watch cannot go on where it was when the connection was lost. */
    @Test
    void historyThatWasCompactedMeanwhileIsNotMissed() throws Exception {
        put("1");
        try (TcpProxy proxy = new TcpProxy(server.port());
                EtcdSource source =
                        EtcdSource.connect(Client.builder().endpoints("http://127.0.0.1:" + proxy.port()), key)) {
            source.watch(changes::incrementAndGet);
            source.read();
            proxy.cut();
            assertThrows(Exception.class, source::read);
            put("2");
            long last = put("3");
            done(client.getKVClient()
                    .compact(
                            last,
                            CompactOption.builder().withCompactPhysical(true).build()));
            proxy.restore();
            assertEquals(last, source.read().revision());
            int before = changes.get();
            put("4");
            awaitChange(before);
        }
    }

    @Test
    void aWatchThatIsCutIsReportedAndMadeAgain() throws Exception {
        put("1");
        try (TcpProxy proxy = new TcpProxy(server.port());
                Client other = Client.builder()
                        .endpoints("http://127.0.0.1:" + proxy.port())
                        .build();
                EtcdSource source = EtcdSource.of(other, key)) {
            source.watch(changes::incrementAndGet);
            source.read();
            put("1");
            awaitChange(0);
            int connected = changes.get();
            proxy.cut();
            awaitChange(connected);
            long revision = put("2");
            proxy.restore();
            assertEquals(revision, source.read().revision());
            int before = changes.get();
            put("3");
            awaitChange(before);
        }
    }

    @Test
    void aStatusHasALeaseAndIsWrittenAgainWhenThatIsLost() throws Exception {
        InstanceStatus status = new InstanceStatus("a/b", "1", "1", Result.ACCEPTED, List.of(), Instant.EPOCH);
        try (EtcdSource source = EtcdSource.of(client, key)) {
            source.watch(changes::incrementAndGet);
            source.read();
            source.acknowledge(status);
            assertEquals(List.of(status), source.statuses());
            int before = changes.get();
            done(client.getLeaseClient().revoke(lease()));
            assertEquals(List.of(), source.statuses());
            awaitChange(before);
            source.read();
            assertEquals(List.of(status), source.statuses());
            assertTrue(
                    done(client.getLeaseClient().timeToLive(lease(), LeaseOption.DEFAULT))
                                    .getTTL()
                            > 0,
                    "it vanishes by itself");
        }
        try (EtcdSource source = EtcdSource.of(client, key)) {
            assertEquals(List.of(), source.statuses());
        }
    }

    private long lease() throws Exception {
        return done(client.getKVClient()
                        .get(
                                bytes(key + "-status/"),
                                GetOption.builder().isPrefix(true).build()))
                .getKvs()
                .get(0)
                .getLease();
    }

    @Test
    void junkIsNotListed() throws Exception {
        done(client.getKVClient().put(bytes(key + "-status/x"), bytes("junk")));
        try (EtcdSource source = EtcdSource.of(client, key)) {
            assertEquals(List.of(), source.statuses());
        }
    }

    @Test
    void afterCloseNothingIsReadAndNobodyIsCalled() throws Exception {
        EtcdSource source = EtcdSource.of(client, key);
        source.watch(changes::incrementAndGet);
        source.read();
        source.close();
        source.close();
        assertThrows(IllegalStateException.class, source::read);
        put("1");
        try (EtcdSource other = EtcdSource.of(client, key)) {
            assertFalse(other.read().isAbsent());
        }
        assertEquals(0, changes.get());
    }

    @Test
    void argumentsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> EtcdSource.of(client, ""));
    }
}
