package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.keyed.HeavyHitters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The heaviest keys of each second, as a limit with hot keys has them. */
class KeyGrowthTest extends RecorderFixture {
    private NamedLimiter byUser() {
        NamedLimiter limiter = limits.limiter("a", TokenBucket.of(1, Duration.ofDays(1)));
        set("a", "{ rate: 1M/s, key: user, hot-keys: true }");
        return limiter;
    }

    private static void ask(NamedLimiter limiter, String user, int times) {
        Request request = limiter.request(Map.of("user", user)::get);
        for (int i = 0; i < times; i++) {
            limiter.tryAcquire(request);
        }
    }

    private Map<String, Long> shares(int second) {
        return recorder.load("a").keys().get(second).stream()
                .collect(Collectors.toMap(each -> String.valueOf(each.key()), KeyShare::requests));
    }

    private static long of(Map<String, Long> shares, String user) {
        return shares.entrySet().stream()
                .filter(entry -> entry.getKey().contains(user))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    void eachSecondHasTheGrowthOfItsHeaviestKeys() {
        NamedLimiter limiter = byUser();
        recorder.record();
        ticks(100);
        ask(limiter, "ann", 32_000);
        ask(limiter, "ben", 16_000);
        ticks(100);
        ask(limiter, "ann", 16_000);
        ask(limiter, "cem", 32_000);
        ticks(100);
        ticks(100);
        assertEquals(Map.of(), shares(0));
        assertEquals(32_000, of(shares(1), "ann"), 4_500);
        assertEquals(16_000, of(shares(1), "ben"), 3_200);
        assertEquals(16_000, of(shares(2), "ann"), 3_200);
        assertEquals(32_000, of(shares(2), "cem"), 4_500);
        assertEquals(0, of(shares(2), "ben"));
        assertEquals(Map.of(), shares(3), "nobody came");
    }

    @Test
    void whatIsRefusedHasComeToo() {
        NamedLimiter limiter = byUser();
        set("a", "{ rate: 1/d, key: user, hot-keys: true }");
        recorder.record();
        ticks(100);
        ask(limiter, "ann", 32_000);
        ticks(100);
        assertEquals(32_000, of(shares(1), "ann"), 4_500);
    }

    @Test
    void twentyKeysAreKept() {
        NamedLimiter limiter = byUser();
        recorder.record();
        ticks(100);
        for (int user = 0; user < 100; user++) {
            ask(limiter, "user" + user, 500 + 50 * user);
        }
        ticks(100);
        Map<String, Long> shares = shares(1);
        assertEquals(KeyGrowth.KEPT, shares.size());
        assertTrue(of(shares, "user99") > 2_000, shares::toString);
    }

    @Test
    void aCountThatIsSetToZeroGrowsFromThere() {
        HeavyHitters keys = new HeavyHitters();
        KeyGrowth growth = new KeyGrowth();
        assertEquals(List.of(), growth.next(keys));
        assertEquals(List.of(), growth.next(keys));
        keys.reset();
        assertEquals(List.of(), growth.next(keys));
    }
}
