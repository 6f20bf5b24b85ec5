package dev.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/** Values that may be found under a key although no script has written them. */
enum Junk {
    TEXT,
    EMPTY,
    NUL,
    NUMBER,
    NEARLY_A_STATE,
    ZERO_RATE,
    TOO_LARGE,
    TOO_LONG,
    STATE_OF_A_HASH,
    LIST,
    SET,
    HASH,
    HASH_OF_BLOCKS,
    HASH_WITH_JUNK,
    SORTED_SET,
    SORTED_SET_OF_ENTRIES,
    STREAM,
    A_HEAD_ONLY,
    ANOTHER_VERSION,
    NO_SUCH_RULE,
    TOO_MANY_RATES,
    A_BYTE_MORE,
    A_NUMBER_MORE,
    A_LEAK_OF_ZERO,
    NOT_A_NUMBER,
    LARGER_THAN_ANY,
    LESS_THAN_ZERO,
    A_PART_OF_ONE,
    BLOCKS_THAT_DO_NOT_RISE,
    HALF_A_BLOCK,
    VERY_MANY_BLOCKS,
    A_LOG_IN_A_STRING,
    A_LOG_WITH_AN_ENTRY,
    A_BUCKET_IN_A_SORTED_SET;

    void write(RedisClusterCommands<byte[], byte[]> redis, byte[] key) {
        switch (this) {
            case TEXT -> redis.set(key, bytes("{\"tokens\":3}"));
            case EMPTY -> redis.set(key, bytes(""));
            case NUL -> redis.set(key, bytes("weir1 even\0"));
            case NUMBER -> redis.set(key, bytes("17"));
            case NEARLY_A_STATE -> redis.set(key, bytes("weir1 even 1,1,1,1,0,1 1,1,1"));
            case ZERO_RATE -> redis.set(key, bytes("weir1 even 0,0,1,1,0,1 1,1,1,1"));
            case TOO_LARGE -> redis.set(key, bytes("weir1 even 1,1,1,1,0,1 1,1" + "9".repeat(400) + ",1,1"));
            case TOO_LONG -> redis.set(key, bytes("weir1 even 1,1,1,1,0,1 " + "1,".repeat(100_000) + "1"));
            case STATE_OF_A_HASH -> redis.set(key, bytes("weir1 window 1,1,1,1,1 1,1,1,1,1"));
            case LIST -> redis.rpush(key, bytes("1"), bytes("2"));
            case SET -> redis.sadd(key, bytes("a"));
            case HASH -> redis.hset(key, bytes("tokens"), bytes("3"));
            case HASH_OF_BLOCKS -> redis.hset(key, Map.of(bytes("cnt:1"), bytes("3"), bytes("ts"), bytes("1")));
            case HASH_WITH_JUNK -> redis.hset(key, Map.of(bytes("#"), bytes("weir1 window 1"), bytes("1"), bytes("x")));
            case SORTED_SET -> redis.zadd(key, 1, bytes("a"));
            case SORTED_SET_OF_ENTRIES -> redis.zadd(key, 1e300, bytes("0000000000000001:1"));
            case STREAM -> redis.xadd(key, Map.of(bytes("a"), bytes("b")));
            case A_HEAD_ONLY -> redis.set(key, even(1));
            case ANOTHER_VERSION -> redis.set(key, state(3, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1));
            case NO_SUCH_RULE -> redis.set(key, state(2, 6, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
            case TOO_MANY_RATES -> redis.set(key, state(2, 1, 9, new double[9 * 6 + 1 + 9 * 3]));
            case A_BYTE_MORE -> redis.set(key, Arrays.copyOf(even(1, 1, 1), even(1, 1, 1).length + 1));
            case A_NUMBER_MORE -> redis.set(key, even(1, 1, 1, 1));
            case A_LEAK_OF_ZERO -> redis.set(key, even(0, 1, 1));
            case NOT_A_NUMBER -> redis.set(key, even(1, 1, Double.NaN));
            case LARGER_THAN_ANY -> redis.set(key, even(1, 1, 0x1p60));
            case LESS_THAN_ZERO -> redis.set(key, even(1, 1, -1));
            case A_PART_OF_ONE -> redis.set(key, even(1, 0.5, 1));
            case BLOCKS_THAT_DO_NOT_RISE -> redis.set(key, window(0x1p40, 3, 0x1p40, 3));
            case HALF_A_BLOCK -> redis.set(key, window(0x1p40));
            case VERY_MANY_BLOCKS -> redis.set(key, window(new double[20_000]));
            case A_LOG_IN_A_STRING -> redis.set(key, state(2, 5, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1));
            case A_LOG_WITH_AN_ENTRY -> redis.set(key, state(2, 5, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
            case A_BUCKET_IN_A_SORTED_SET -> redis.zadd(key, -1, even(1, 1, 1));
        }
    }

    private static byte[] state(int version, int rule, int rates, double... numbers) {
        ByteBuffer state = ByteBuffer.allocate(4 + numbers.length * Double.BYTES)
                .put(new byte[] {'W', (byte) version, (byte) rule, (byte) rates});
        for (double number : numbers) {
            state.putDouble(number);
        }
        return state.array();
    }

    /** A bucket that is written right, but for its leak and its numbers. */
    private static byte[] even(double leak, double... numbers) {
        double[] all = Arrays.copyOf(new double[] {leak, 1, 1, 1, 0, 1}, 6 + numbers.length);
        System.arraycopy(numbers, 0, all, 6, numbers.length);
        return state(2, 1, 1, all);
    }

    private static byte[] window(double... blocks) {
        double[] all = Arrays.copyOf(new double[] {1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, 10 + blocks.length);
        System.arraycopy(blocks, 0, all, 10, blocks.length);
        return state(2, 4, 0, all);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
