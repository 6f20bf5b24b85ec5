package dev.weir.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.RedisServer;
import dev.weir.testservers.Server;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
@Tag("proof")
class HostileKeysTest {
    private static final int KEYS = 10_000;
    private static final int BATCH = 1_000;
    private static final int MOST_NAMES = 1_000_000;

    private final KeyName login = KeyName.of("limit", "login");
    private final KeyName other = KeyName.of("limit", "log");

    /** What is kept of a key of a megabyte is its hash and its end. */
    private static Object small(Object key) {
        return key instanceof String text && text.length() > 10_000
                ? List.of(text.hashCode(), text.substring(text.length() - 9))
                : key;
    }

    @Test
    void D9_differentKeysHaveDifferentNamesOfOneSlotAndABoundedLength() {
        Map<String, Object> names = new HashMap<>();
        Stress.seconds(1, 20, 200).forAll(1, random -> {
            if (names.size() > MOST_NAMES) {
                names.clear();
            }
            for (int i = 0; i < KEYS; i++) {
                Object key = HostileKeys.next(random);
                for (KeyName limiter : List.of(login, other)) {
                    byte[] name = Objects.requireNonNull(limiter.of(key));
                    assertTrue(name.length <= KeyName.MAX_LENGTH, () -> new String(name, ISO_8859_1));
                    assertOneTag(name);
                    Object before = names.putIfAbsent(new String(name, ISO_8859_1), List.of(limiter, small(key)));
                    if (before != null) {
                        assertEquals(before, List.of(limiter, small(key)));
                    }
                }
            }
        });
    }

    private static void assertOneTag(byte[] name) {
        String text = new String(name, ISO_8859_1);
        String tag = text.substring(1, text.length() - 1);
        assertTrue(text.startsWith("{weir:") && text.endsWith("}"), text);
        assertFalse(tag.contains("{") || tag.contains("}"), text);
        assertTrue(text.chars().allMatch(c -> c > ' ' && c < 127), text);
        assertEquals(SlotHash.getSlot(tag.getBytes(ISO_8859_1)), SlotHash.getSlot(name), text);
    }

    @Test
    @Needs(Server.REDIS)
    void D9_aServerKeepsEachKeyByItself() {
        try (RedisServer server = RedisServer.inMemory()) {
            RedisClient client = RedisClient.create(server.uri());
            try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
                Stress.seconds(0.5, 10, 100).forAll(1, random -> {
                    connection.sync().flushall();
                    Set<Object> distinct = new HashSet<>();
                    for (int i = 0; i < KEYS; i += BATCH) {
                        increment(connection.async(), random, distinct);
                    }
                    assertEquals(distinct.size(), connection.sync().dbsize());
                });
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }

    private void increment(RedisAsyncCommands<byte[], byte[]> server, SplittableRandom random, Set<Object> distinct) {
        List<RedisFuture<Long>> answers = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            Object key = HostileKeys.next(random);
            distinct.add(small(key));
            answers.add(server.incr(Objects.requireNonNull(login.of(key))));
        }
        assertTrue(LettuceFutures.awaitAll(Duration.ofSeconds(30), answers.toArray(RedisFuture[]::new)));
        assertTrue(
                answers.stream().allMatch(answer -> answer.toCompletableFuture().join() > 0));
    }
}
