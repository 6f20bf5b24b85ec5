package dev.weir.redis;

import dev.weir.spi.StrategySpec;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The script of one of our limits, under the same key as the scripts found in the field. Times are milliseconds. */
record Ours(RedisAsyncCommands<String, String> server, RedisRate rate) {
    private static final String KEY = "k";
    private static final String TIME = "redis.call('TIME')";
    private static final String GIVEN = "{ string.match(table.remove(ARGV), '^(%d+)(%d%d%d%d%d%d)$') }";

    static Ours of(RealRedis redis, StrategySpec spec) {
        return new Ours(redis.connection().async(), RedisRate.of(spec));
    }

    /** The same with keys that outlive a test, for periods that are shorter than it. */
    Ours kept() {
        Script script = rate.script();
        String text = script.text().replace("local MARGIN = 1 ", "local MARGIN = 100000000 ");
        return new Ours(server, new RedisRate(new Script(script.name(), text, script.sha()), rate.parameters()));
    }

    /** Six numbers, if the server's clock reads so many microseconds. */
    List<Long> answer(long permits, long micros) {
        String virtual = rate.script().text().replace(TIME, GIVEN);
        return RealRedis.join(eval(virtual, permits, 0, Long.toString(micros)));
    }

    /** Six numbers, by the server's clock. */
    RedisFuture<List<Long>> answerNow(long permits, long since) {
        return eval(rate.script().text(), permits, since);
    }

    private RedisFuture<List<Long>> eval(String text, long permits, long since, String... more) {
        List<byte[]> arguments = rate.arguments(Script.ACQUIRE, permits, since);
        String[] texts = new String[arguments.size() + more.length];
        for (int i = 0; i < arguments.size(); i++) {
            texts[i] = new String(arguments.get(i), StandardCharsets.US_ASCII);
        }
        System.arraycopy(more, 0, texts, arguments.size(), more.length);
        return server.eval(text, ScriptOutputType.MULTI, new String[] {KEY}, texts);
    }

    boolean grants(long permits, long millis) {
        return answer(permits, millis * 1_000).get(0) == permits;
    }

    /** How many of these requests for one permit are granted. */
    int granted(int calls, long millis) {
        int granted = 0;
        for (int i = 0; i < calls; i++) {
            granted += grants(1, millis) ? 1 : 0;
        }
        return granted;
    }

    /** By the server's clock. */
    int grantedNow(int calls, long since) {
        int granted = 0;
        for (int i = 0; i < calls; i++) {
            granted += (int) (long) RealRedis.join(answerNow(1, since)).get(0);
        }
        return granted;
    }
}
