package dev.weir.redis;

import static dev.weir.redis.TestScripts.COUNT;
import static dev.weir.redis.TestScripts.failure;
import static dev.weir.redis.TestScripts.run;
import static dev.weir.redis.TestScripts.send;
import static dev.weir.redis.TestScripts.since;
import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Needs(Server.REDIS)
class RedisTest {
    private final RedisServer server = RedisServer.inMemory();
    private final RedisClient client = RedisClient.create(server.uri());

    @AfterEach
    void close() {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        server.close();
    }

    private Redis redis() {
        return Redis.of(client, RedisURI.create(server.uri()));
    }

    @Test
    void D4_aScriptThatTheServerForgotIsSentWholeOnce() throws Exception {
        try (Redis redis = redis()) {
            RedisCommands<String, String> commands = client.connect().sync();
            assertEquals(List.of(1L, 0L), run(redis, COUNT, "a"));
            commands.scriptFlush();
            List<CompletableFuture<List<Long>>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(send(redis, COUNT, "a"));
            }
            for (CompletableFuture<List<Long>> reply : sent) {
                reply.get(10, TimeUnit.SECONDS);
            }
            assertEquals("101", commands.get("a"));
            assertEquals(List.of(true), commands.scriptExists(COUNT.sha()));
        }
    }

    @Test
    void D8_keysThatAreAbsentCountAsUsedUpSinceTheServerWasStartedAgain() throws Exception {
        try (Redis redis = redis()) {
            assertEquals(0, since(redis, "a"));
            server.kill();
            server.start();
            long time = Long.parseLong(client.connect().sync().time().get(0));
            soon().until(() -> since(redis, "a") > 0);
            long since = since(redis, "a");
            assertTrue(since >= (time - 10) * 1_000_000 && since <= (time + 10) * 1_000_000, () -> since + " " + time);
            assertEquals(since, since(redis, "b"));
        }
    }

    @Test
    void D8_aConnectionThatIsLostAloneLosesNoKey() throws Exception {
        try (Redis redis = redis()) {
            assertEquals(0, since(redis, "a"));
            RedisCommands<String, String> commands = client.connect().sync();
            for (int i = 0; i < 3; i++) {
                commands.clientKill(KillArgs.Builder.typeNormal().skipme());
                soon().until(() -> since(redis, "a") >= 0);
                assertEquals(0, since(redis, "a"));
            }
        }
    }

    @Test
    void D4_D6_whatWasSentToAServerThatDiedFailsAndIsNeverSentAgain() throws Exception {
        try (RedisServer durable = RedisServer.durable();
                Redis redis = Redis.connect(durable.uri())) {
            assertEquals(1, run(redis, COUNT, "a").get(0));
            durable.pause();
            List<CompletableFuture<List<Long>>> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sent.add(send(redis, COUNT, "a"));
            }
            assertTrue(sent.stream().noneMatch(CompletableFuture::isDone));
            durable.kill();
            for (CompletableFuture<List<Long>> reply : sent) {
                assertThrows(ExecutionException.class, () -> reply.get(10, TimeUnit.SECONDS));
            }
            assertTrue(failure(send(redis, COUNT, "a")).contains("not connected"));
            durable.start();
            soon().until(() -> since(redis, "b") > 0);
            assertEquals(2, run(redis, COUNT, "a").get(0));
        }
    }

    @Test
    void itConnectsWhenAServerThatWasNotThereIs() throws Exception {
        server.kill();
        try (Redis redis = redis()) {
            assertEquals("Redis is not connected", failure(send(redis, COUNT, "a")));
            assertThrows(
                    ExecutionException.class,
                    () -> redis.servers().ping().toCompletableFuture().get(10, TimeUnit.SECONDS));
            server.start();
            soon().until(() -> since(redis, "a") == 0);
            redis.servers().ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void D5_aPingFailsWhenADecisionWould() throws Exception {
        try (Redis redis = redis()) {
            RedisCommands<String, String> commands = client.connect().sync();
            redis.servers().ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
            commands.configSet("maxmemory", "1");
            assertTrue(failure(redis.servers().ping().toCompletableFuture()).contains("OOM"));
            commands.configSet("maxmemory", "0");
            redis.servers().ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
            commands.replicaof("127.0.0.1", server.port());
            assertTrue(failure(redis.servers().ping().toCompletableFuture()).contains("READONLY"));
            commands.replicaofNoOne();
            soon().until(() -> since(redis, "a") > 0);
            soon().until(() -> commands.keys("*ping*").isEmpty());
        }
    }

    @Test
    void D14_itSpeaksBothProtocolsAndKnowsPasswordsAndDatabases() throws Exception {
        try (RedisServer secret = RedisServer.inMemory("--requirepass", "secret")) {
            RedisURI uri = RedisURI.create("redis://:secret@127.0.0.1:" + secret.port() + "/3");
            for (ProtocolVersion version : ProtocolVersion.values()) {
                client.setOptions(
                        ClientOptions.builder().protocolVersion(version).build());
                try (Redis redis = Redis.of(client, uri)) {
                    assertEquals(0, run(redis, COUNT, version.name()).get(1));
                    redis.servers().ping().toCompletableFuture().get(10, TimeUnit.SECONDS);
                }
                assertEquals("1", client.connect(uri).sync().get(version.name()));
            }
        }
    }

    @Test
    void afterCloseEverythingFailsAndTheClientThatWasGivenStaysOpen() throws Exception {
        Redis redis = redis();
        redis.close();
        redis.close();
        assertFalse(send(redis, COUNT, "a")
                .handle((reply, failure) -> failure == null)
                .get(10, TimeUnit.SECONDS));
        assertEquals("PONG", client.connect().sync().ping());
    }

    @Test
    void anAddressThatIsNoneIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Redis.connect("http://localhost"));
    }

    /** Pages of docs show it. */
    @Test
    void countsRatesAndLeases() throws InterruptedException {
        AtomicLong token = new AtomicLong();
        try (Redis redis = Redis.connect(server.uri())) {
            // #region rate
            AsyncLimiter search =
                    RedisLimiters.of("search", TokenBucket.of(100, Duration.ofSeconds(1)), redis, WhenAway.local(8));
            Decision decision = search.acquire(Request.forKey("ann"), Duration.ZERO);
            // #endregion rate
            assertInstanceOf(Permit.class, decision);
            // #region semaphore
            StoreSemaphore export = StoreSemaphore.builder(
                            "export", new Semaphore(10), redis.leases(), WhenAway.closed())
                    .build();
            if (export.acquire(Request.ONE, Duration.ofSeconds(1)) instanceof LeasedPermit permit) {
                try (permit) {
                    // Each grant has a larger one: a store can refuse a late holder.
                    token.set(permit.fencingToken());
                }
            }
            // #endregion semaphore
            assertTrue(token.get() > 0);
        }
    }

    @Test
    void aBoundedCopyHasAllButTheTimeout() {
        RedisURI uri = RedisURI.create("rediss-sentinel://ann:secret@one:1,two:2/3?clientName=c&libraryName=l"
                + "&libraryVersion=v&verifyPeer=CA&timeout=7s#master");
        RedisURI copy = RedisConnection.bounded(uri, Duration.ofSeconds(1));
        assertEquals(Duration.ofSeconds(1), copy.getTimeout());
        copy.setTimeout(uri.getTimeout());
        assertEquals(uri.toURI(), copy.toURI());
        assertEquals(uri.getSentinels(), copy.getSentinels());
        assertEquals(2, copy.getSentinels().size());
        assertEquals(
                List.of("c", "l", "v", SslVerifyMode.CA),
                List.of(copy.getClientName(), copy.getLibraryName(), copy.getLibraryVersion(), copy.getVerifyMode()));
        RedisCredentials credentials =
                copy.getCredentialsProvider().resolveCredentials().block();
        assertEquals("ann", credentials.getUsername());
        assertEquals("secret", new String(credentials.getPassword()));
        assertEquals(
                "/redis.sock",
                RedisConnection.bounded(RedisURI.create("redis-socket:///redis.sock"), uri.getTimeout())
                        .getSocket());
    }
}
