package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.share.ShareRegistry.View;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("real-time")
@Needs(Server.REDIS)
class RedisRegistryTest {
    private static final Duration LEASE = Duration.ofMillis(1_500);
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

    private final RedisServer server = RedisServer.inMemory();
    private final RedisClient client = RedisClient.create(server.uri());
    private final RedisCommands<String, String> admin = client.connect().sync();
    private final RedisRegistry registry = open("a");

    @AfterEach
    void close() {
        registry.close();
        client.shutdown();
        server.close();
    }

    private RedisRegistry open(String instance) {
        return RedisRegistry.connect(RedisURI.create(server.uri()), "weir:shop", instance, LEASE);
    }

    @Test
    void D3_everyKeyHasATimeToLive() {
        registry.renew();
        assertTrue(registry.replace("e", 0, "1"));
        assertEquals(2, admin.dbsize());
        for (String key : List.of("{weir:shop}:members", "{weir:shop}:entries")) {
            long left = admin.pttl(key);
            assertTrue(left > DAY_MILLIS - 60_000 && left <= DAY_MILLIS, () -> key + " " + left);
            admin.pexpire(key, 1_000);
        }
        registry.renew();
        assertTrue(admin.pttl("{weir:shop}:entries") > 60_000, "a renewal keeps the entries");
        assertTrue(admin.pttl("{weir:shop}:members") > 60_000);
    }

    @Test
    void D10_whatSomebodyElseWroteCountsAsNothingAndIsReplaced() {
        admin.hset("{weir:shop}:entries", "e", "junk");
        admin.hset("{weir:shop}:members", "b", "junk");
        registry.renew();
        assertEquals(new View(List.of("a"), "", 0), registry.read("e"));
        assertTrue(registry.replace("e", 0, "1"));
        assertEquals("1", registry.read("e").value());
        assertFalse(admin.hexists("{weir:shop}:members", "b"));
    }

    @Test
    void aServerThatLostAllHasItsMembersAgainAndNoVersionRepeats() {
        registry.renew();
        assertTrue(registry.replace("e", 0, "1"));
        View view = registry.read("e");
        AtomicInteger seen = new AtomicInteger();
        registry.watch("e", seen::incrementAndGet);
        server.kill();
        assertThrows(RuntimeException.class, registry::renew);
        server.start();
        int before = seen.get();
        await().until(() -> seen.get() > before);
        await().ignoreExceptions().until(() -> registry.read("e").version() == 0);
        registry.renew();
        assertFalse(registry.replace("e", view.version(), "2"));
        assertTrue(registry.replace("e", 0, "2"));
        View next = registry.read("e");
        assertEquals(List.of("a"), next.members());
        assertTrue(next.version() > view.version());
    }

    /** As that of a server that was the primary before a fail-over. */
    @Test
    void aReplicaIsNotUsedAgain() {
        registry.renew();
        List<String> before = connections();
        admin.replicaof("127.0.0.1", 1);
        assertThrows(RuntimeException.class, registry::renew);
        admin.replicaofNoOne();
        assertEquals(LEASE, registry.renew());
        await().until(() -> Collections.disjoint(before, connections()));
    }

    /** Those of the registry. */
    private List<String> connections() {
        String own = "id=" + admin.clientId();
        return admin.clientList()
                .lines()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .filter(id -> !id.equals(own))
                .toList();
    }

    @Test
    void afterCloseNothingIsDone() {
        registry.renew();
        registry.close();
        registry.close();
        assertFalse(admin.hexists("{weir:shop}:members", "a"));
        assertThrows(IllegalStateException.class, registry::renew);
        assertThrows(IllegalStateException.class, () -> registry.replace("e", 0, ""));
        assertThrows(IllegalStateException.class, () -> registry.watch("e", () -> {}));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "a}", "{a}"})
    void keysAreChecked(String bad) {
        assertThrows(IllegalArgumentException.class, () -> RedisRegistry.connect(RedisURI.create(server.uri()), bad));
    }

    @Test
    void leasesAndNamesAreChecked() {
        RedisURI uri = RedisURI.create(server.uri());
        for (Duration bad : List.of(Duration.ofMillis(99), Duration.ofMinutes(61))) {
            assertThrows(IllegalArgumentException.class, () -> RedisRegistry.connect(uri, "k", "b", bad));
        }
        assertThrows(IllegalArgumentException.class, () -> RedisRegistry.connect(uri, "k", "b/c", LEASE));
    }
}
