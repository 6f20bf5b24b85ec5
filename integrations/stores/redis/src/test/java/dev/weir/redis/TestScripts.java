package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.store.rates.Ban;
import io.lettuce.core.codec.Base16;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.core.ConditionFactory;

/** Scripts that show what a connection does. */
final class TestScripts {
    /** How often it was run at this key, and its third argument. */
    static final Script COUNT = of("count", """
            local n = redis.call('INCR', KEYS[1])
            redis.call('PEXPIRE', KEYS[1], 60000)
            return {n, tonumber(ARGV[3])}
            """);

    private TestScripts() {}

    /** Looks at once, and often. */
    static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10));
    }

    static Script of(String name, String text) {
        return new Script(name, text, Base16.digest(text.getBytes(US_ASCII)));
    }

    static CompletableFuture<List<Long>> send(Redis redis, Script script, String key) {
        List<byte[]> arguments = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            arguments.add(new byte[] {'0'});
        }
        return redis.servers().run(script, key.getBytes(US_ASCII), arguments).toCompletableFuture();
    }

    static List<Long> run(Redis redis, Script script, String key) throws Exception {
        return send(redis, script, key).get(1, TimeUnit.MINUTES);
    }

    /** One call of each rule, at a key of each master of a cluster; none may have been used before. */
    static void assertEachScriptAnswers(Redis redis) throws Exception {
        Duration hour = Duration.ofHours(1);
        List<StrategySpec> specs = List.of(
                TokenBucket.of(10, hour),
                FixedWindow.of(10, hour),
                SlidingWindow.of(10, hour),
                SlidingLog.of(10, hour),
                new Ban(LeakyBucket.of(10, hour).withBurst(9), hour));
        for (String key : List.of("foo", "b", "c")) {
            for (StrategySpec spec : specs) {
                RedisRate rate = RedisRate.of(spec);
                byte[] tagged = ('{' + key + '}' + spec.getClass().getSimpleName()).getBytes(US_ASCII);
                List<Long> answer = redis.servers()
                        .run(Script.LIMIT, tagged, Calls.of(rate, Script.ACQUIRE, 1, 0))
                        .toCompletableFuture()
                        .get(1, TimeUnit.MINUTES);
                assertEquals(List.of(1L, 9L), answer.subList(0, 2), () -> spec + " at " + key);
            }
        }
        StoreSemaphore semaphore = StoreSemaphore.builder("routed", new Semaphore(1), redis.leases(), WhenAway.closed())
                .timeout(Duration.ofMinutes(1))
                .build();
        Decision held = semaphore.acquire(Request.ONE, Duration.ZERO);
        assertInstanceOf(LeasedPermit.class, held);
        assertInstanceOf(Rejection.class, semaphore.acquire(Request.ONE, Duration.ZERO));
        ((LeasedPermit) held).close();
    }

    /** The message of the failure. */
    static String failure(CompletableFuture<?> future) throws InterruptedException, TimeoutException {
        try {
            return "no failure: " + future.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause().getMessage());
        }
    }

    /** The third argument that a script got; -1 while there is no answer. */
    static long since(Redis redis, String key) {
        try {
            return send(redis, COUNT, key).get(1, TimeUnit.SECONDS).get(1);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            return -1;
        }
    }

    /** Whether a ping is answered. */
    static boolean pings(Redis redis) {
        try {
            Object unused = redis.servers().ping().toCompletableFuture().get(1, TimeUnit.SECONDS);
            return true;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            return false;
        }
    }
}
