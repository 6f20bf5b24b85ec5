package dev.weir.redis.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.Map;

/** What may be found under a key that no script has written. */
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
    STREAM;

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
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
