package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.document.Format;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.InstanceStatus.Result;
import dev.weir.config.source.Reading;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@Needs(Server.REDIS)
class RedisSourceTest {
    private static final String KEY = "limits.json";

    private static RedisServer server;

    private final AtomicInteger changes = new AtomicInteger();
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private RedisCommands<String, String> redis;

    @BeforeAll
    static void startServer() {
        server = RedisServer.inMemory();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.create(server.uri());
        connection = client.connect();
        redis = connection.sync();
        redis.flushall();
    }

    @AfterEach
    void disconnect() {
        client.shutdown();
    }

    private RedisSource source() {
        return RedisSource.connect(RedisURI.create(server.uri()), KEY);
    }

    /** Each reading asks the server to tell of one more change. */
    @Test
    void theServerTellsOfEachChangeWithoutPolling() throws Exception {
        try (RedisSource source = source()) {
            source.watch(changes::incrementAndGet);
            assertTrue(source.read().isAbsent());
            List<Runnable> writers = List.of(
                    () -> redis.set(KEY, "1"),
                    () -> redis.append(KEY, "2"),
                    () -> redis.del(KEY),
                    () -> redis.restore(KEY, 0, dump("3")),
                    () -> redis.pexpire(KEY, 1),
                    redis::flushall);
            for (Runnable writer : writers) {
                int before = changes.get();
                writer.run();
                await().until(() -> changes.get() > before);
                source.read();
            }
            assertEquals(Duration.ofSeconds(5), source.readEvery());
        }
    }

    private byte[] dump(String value) {
        redis.set("other", value);
        return redis.dump("other");
    }

    @Test
    void aServerThatDoesNotTellIsReadEachSecond() throws Exception {
        client.setOptions(
                ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
        redis.set(KEY, "{}");
        try (RedisSource source = RedisSource.of(client, KEY)) {
            Reading reading = source.read();
            assertArrayEquals("{}".getBytes(UTF_8), reading.content());
            assertEquals(Format.JSON, reading.format());
            assertEquals(Duration.ofSeconds(1), source.readEvery());
        }
        assertEquals("PONG", redis.ping(), "the client that was given stays open");
    }

    @Test
    void aKeyOfAnotherTypeIsAFailureAndNothingElse() throws Exception {
        redis.lpush(KEY, "a");
        try (RedisSource source = source()) {
            source.watch(changes::incrementAndGet);
            assertThrows(Exception.class, source::read);
            redis.del(KEY);
            redis.set(KEY, "{}");
            assertFalse(source.read().isAbsent());
        }
    }

    @Test
    void aStatusIsRenewedWithEachReadingAndLeavesNothingBehind() throws Exception {
        InstanceStatus status = new InstanceStatus("a", "1", "1", Result.ACCEPTED, List.of(), Instant.EPOCH);
        try (RedisSource source = source()) {
            source.acknowledge(status);
            assertEquals(List.of(status), source.statuses());
            assertTrue(redis.ttl(KEY + ":status") > 0, "it vanishes by itself");
            redis.flushall();
            assertEquals(List.of(), source.statuses());
            source.read();
            await().until(() -> source.statuses().equals(List.of(status)));
        }
        await().until(() -> redis.keys("*").isEmpty());
    }

    @Test
    void deadInstancesAndJunkAreNotListed() throws Exception {
        redis.hset(
                KEY + ":status",
                "dead",
                "1 " + new InstanceStatus("dead", "1", "1", Result.HELD, List.of(), Instant.EPOCH).toJson());
        redis.hset(KEY + ":status", "junk", "junk");
        redis.hset(KEY + ":status", "later", "99999999999 junk");
        try (RedisSource source = source()) {
            assertEquals(List.of(), source.statuses());
            assertEquals(List.of("later"), redis.hkeys(KEY + ":status"));
        }
    }

    /** A thousand instances that each list all others would keep the server from counting limits. */
    @Test
    void anAcknowledgementListsNoOtherInstancesAndRemovesDeadOnesBitByBit() throws Exception {
        String dead = "1 " + status("dead").toJson();
        for (int i = 0; i < 300; i++) {
            redis.hset(KEY + ":status", "dead-" + i, dead);
        }
        redis.configResetstat();
        try (RedisSource source = source()) {
            source.acknowledge(status("a"));
            long left = redis.hlen(KEY + ":status");
            assertTrue(left > 250 && left < 301, left + " left");
            assertFalse(redis.info("commandstats").contains("hgetall"));
            for (int i = 0; i < 10_000 && redis.hlen(KEY + ":status") > 1; i++) {
                source.acknowledge(status("a"));
            }
            assertEquals(List.of("a"), redis.hkeys(KEY + ":status"));
        }
    }

    private static InstanceStatus status(String instance) {
        return new InstanceStatus(instance, "1", "1", Result.HELD, List.of(), Instant.EPOCH);
    }

    @Test
    void aHaltedServerIsAFailureAfterTheTimeout() throws Exception {
        redis.set(KEY, "{}");
        try (RedisSource source = source()) {
            source.read();
            server.pause();
            try {
                assertThrows(Exception.class, source::read);
            } finally {
                server.resume();
            }
            assertFalse(source.read().isAbsent());
        }
    }

    @Test
    void afterCloseNothingIsReadAndNobodyIsCalled() throws Exception {
        RedisSource source = source();
        source.watch(changes::incrementAndGet);
        source.read();
        source.close();
        source.close();
        assertThrows(IllegalStateException.class, source::read);
        assertThrows(IllegalStateException.class, source::statuses);
        assertEquals(0, changes.get());
    }

    @Test
    void argumentsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> RedisSource.of(client, ""));
    }
}
