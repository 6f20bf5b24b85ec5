package dev.weir.redis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.rates.Ban;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What random and hostile keys of all rules leave on a server. */
@Tag("property")
@Tag("proof")
@Needs(Server.REDIS)
class RandomKeysTest {
    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final int KEYS = 10_000;
    private static final int BATCH = 500;
    private static final int SCAN_EACH = 5_000;
    private static final Duration PERIOD = Duration.ofMillis(300);

    private static final List<StrategySpec> RULES = List.of(
            TokenBucket.of(10, PERIOD),
            LeakyBucket.of(10, PERIOD).withBurst(3),
            Gcra.of(5, PERIOD),
            Pacer.of(2, PERIOD),
            new Ban(LeakyBucket.of(4, PERIOD).withBurst(1), PERIOD),
            FixedWindow.of(2, PERIOD),
            FixedWindow.aligned(2, Duration.ofMillis(250)),
            new FirstHitQuota(2, Duration.ofMillis(200)),
            SlidingWindow.of(3, PERIOD),
            SlidingLog.of(3, PERIOD),
            AllOf.of(TokenBucket.of(10, PERIOD), TokenBucket.of(3, Duration.ofMillis(400))));

    /** Keys, keys without a time to live, and the longest time to live in milliseconds. */
    private static final String SCAN = """
            local keys, forever, longest, cursor = 0, 0, 0, '0'
            repeat
              local page = redis.call('SCAN', cursor, 'COUNT', 1000)
              cursor = page[1]
              for _, key in ipairs(page[2]) do
                local left = redis.call('PTTL', key)
                keys, longest = keys + 1, math.max(longest, left)
                if left == -1 then
                  forever = forever + 1
                end
              end
            until cursor == '0'
            return {keys, forever, longest}
            """;

    private long longest;
    private long seen;

    @Test
    void D3_eachKeyHasATimeToLiveAndTheServerIsEmptyAfterTheLongest() {
        List<RedisRate> rates = RULES.stream().map(RedisRate::of).toList();
        Stress.seconds(1, 10, 100).forAll(1, random -> {
            try (Redis redis = Redis.connect(REDIS.server().uri())) {
                for (int i = 0; i < KEYS; i += BATCH) {
                    use(redis, rates, random);
                    if (i % SCAN_EACH == SCAN_EACH - BATCH || i + BATCH >= KEYS) {
                        scan();
                    }
                }
            }
            assertTrue(seen > 0, "no key was seen");
            long start = Ticker.system().read();
            long end = serverMillis() + longest;
            await().pollInterval(Duration.ofMillis(20)).until(() -> serverMillis() > end);
            assertEquals(0, scan().get(0), "keys after the longest time to live");
            await().until(() -> REDIS.commands().dbsize() == 0);
            System.out.println(
                    "FIGURE " + KEYS + " keys: 0 without a time to live, the longest " + longest + " ms, empty after "
                            + TimeUnit.NANOSECONDS.toMillis(Ticker.system().read() - start) + " ms");
        });
    }

    private static void use(Redis redis, List<RedisRate> rates, SplittableRandom random) {
        List<CompletableFuture<List<Long>>> answers = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            int rule = random.nextInt(RULES.size());
            Object key = random.nextBoolean() ? random.nextLong() : HostileKeys.next(random);
            byte[] name =
                    Objects.requireNonNull(KeyName.of("limit", "rule" + rule).of(key));
            for (int n = random.nextInt(4); n >= 0; n--) {
                int operation = random.nextInt(3);
                long permits = operation == Script.CHARGE ? random.nextInt(7) - 3 : 1 + random.nextInt(2);
                List<byte[]> arguments = Calls.of(rates.get(rule), operation, permits, 0);
                answers.add(redis.servers().run(Script.LIMIT, name, arguments).toCompletableFuture());
            }
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
        assertTrue(answers.stream().allMatch(answer -> answer.join().size() == 7));
    }

    /** The time by which keys end. */
    private static long serverMillis() {
        List<String> time = REDIS.commands().time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    private List<Long> scan() {
        List<Long> found = REDIS.commands().eval(SCAN, ScriptOutputType.MULTI);
        assertEquals(0, found.get(1), "keys without a time to live");
        seen += found.get(0);
        longest = Math.max(longest, found.get(2));
        return found;
    }
}
