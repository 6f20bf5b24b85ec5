package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Needs(Server.REDIS)
class RedisRatesTest extends ScriptContract {
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final ScriptBench bench = ScriptBench.of(REDIS.bytes());
    private final RedisCommands<byte[], byte[]> commands = REDIS.bytes();

    @Override
    ScriptBench bench() {
        return bench;
    }

    @Test
    void D5_aServerWithoutMemoryRefusesBeforeAnythingIsChanged() {
        StrategySpec bucket = TokenBucket.of(10, HOUR);
        for (StrategySpec next : List.of(bucket, SlidingWindow.of(10, HOUR), SlidingLog.of(10, HOUR), quota())) {
            byte[] key = ("memory" + next).getBytes(UTF_8);
            for (StrategySpec spec : List.of(bucket, next)) {
                run(spec, Script.ACQUIRE, 3, key);
                byte[] before = commands.dump(key);
                commands.configSet("maxmemory", "1");
                for (StrategySpec refused : List.of(spec, next)) {
                    assertThrows(RedisCommandExecutionException.class, () -> run(refused, Script.ACQUIRE, 1, key));
                }
                commands.configSet("maxmemory", "0");
                assertArrayEquals(before, commands.dump(key), next + " after " + spec);
            }
            assertEquals(3, run(next, Script.ACQUIRE, 1, key).get(1), next.toString());
        }
    }

    @Test
    void aKeyWithoutATimeToLiveGetsOne() {
        StrategySpec bucket = TokenBucket.of(10, HOUR);
        StrategySpec window = FixedWindow.of(10, HOUR);
        for (StrategySpec spec :
                List.of(bucket, window, SlidingWindow.of(10, HOUR), SlidingLog.of(10, HOUR), quota())) {
            byte[] key = ("persisted" + spec).getBytes(UTF_8);
            assertEquals(1, run(spec, Script.ACQUIRE, 1, key).get(0));
            assertTrue(commands.persist(key), spec.toString());
            assertEquals(1, run(spec, Script.ACQUIRE, 1, key).get(0));
            assertTrue(commands.pttl(key) > 0, spec.toString());
        }
    }

    /** It is full again in a millisecond; its key lives for that long at least. */
    @Test
    void R1_aBucketOfAMillisecondIsCounted() {
        StrategySpec bucket = TokenBucket.of(1_000, Duration.ofSeconds(1)).withCapacity(1);
        byte[] key = "millisecond".getBytes(UTF_8);
        commands.multi();
        run(bucket, Script.ACQUIRE, 1, key);
        run(bucket, Script.ACQUIRE, 1, key);
        TransactionResult answers = commands.exec();
        List<Long> first = answers.get(0);
        List<Long> second = answers.get(1);
        long micros = second.get(5) - first.get(5);
        assertEquals(1, first.get(0));
        assertEquals(micros < 1_000 ? 0 : 1, second.get(0), () -> micros + " us later");
    }

    @Test
    void argumentsAreIntegers() {
        byte[] key = "junk".getBytes(UTF_8);
        for (StrategySpec spec : List.of(TokenBucket.of(10, HOUR), quota())) {
            for (double junk : new double[] {Double.NaN, 1.5, 0x1p-9, Double.POSITIVE_INFINITY}) {
                List<byte[]> arguments = Calls.of(RedisRate.of(spec), Script.ACQUIRE, 1, 0);
                ByteBuffer.wrap(arguments.get(0)).putDouble(2, junk);
                assertThrows(RedisCommandExecutionException.class, () -> eval(arguments, key), "permits " + junk);
                assertEquals(0, commands.exists(key));
            }
        }
    }

    private static StrategySpec quota() {
        return new FirstHitQuota(10, HOUR);
    }

    private List<Long> run(StrategySpec spec, int operation, long permits, byte[] key) {
        return eval(Calls.of(RedisRate.of(spec), operation, permits, 0), key);
    }

    private List<Long> eval(List<byte[]> arguments, byte[] key) {
        return commands.eval(
                Script.LIMIT.text(), ScriptOutputType.MULTI, new byte[][] {key}, arguments.toArray(byte[][]::new));
    }
}
