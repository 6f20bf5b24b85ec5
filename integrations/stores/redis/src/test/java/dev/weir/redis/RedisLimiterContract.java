package dev.weir.redis;

import static dev.weir.redis.TestScripts.soon;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What limiters of two instances do together, in each mode. */
@Tag("contract")
abstract class RedisLimiterContract {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final StrategySpec TEN = TokenBucket.of(10, HOUR);
    private static final List<@Nullable Object> KEYS = Collections.unmodifiableList(
            Arrays.asList("a", "b", "}x", "{7}", "", "\0", "x".repeat(1_000), 7, 7L, null));

    private final String name = UUID.randomUUID().toString();
    private final List<Redis> instances = new ArrayList<>();
    private final List<StoreRateLimiter> limiters = new ArrayList<>();

    /** See {@link Redis#connect}. */
    protected abstract String uri();

    @BeforeEach
    void connect() {
        instances.add(Redis.connect(uri()));
        instances.add(Redis.connect(uri()));
    }

    @AfterEach
    void close() {
        limiters.forEach(StoreRateLimiter::close);
        instances.forEach(Redis::close);
    }

    /** With a time-out that a slow machine keeps. */
    private StoreRateLimiter limiter(int instance, StrategySpec spec, Mode mode) {
        return limiter(name, instance, spec, mode);
    }

    private StoreRateLimiter limiter(String name, int instance, StrategySpec spec, Mode mode) {
        StoreRateLimiter limiter = RedisLimiters.of(
                name,
                spec,
                instances.get(instance),
                WhenAway.closed(),
                options -> options.mode(mode).timeout(Duration.ofSeconds(10)));
        limiters.add(limiter);
        return limiter;
    }

    private static CompletableFuture<Decision> ask(StoreRateLimiter limiter, @Nullable Object key) {
        return limiter.acquireAsync(Request.ONE.withKey(key).refundable(), Duration.ZERO);
    }

    private static Decision decide(StoreRateLimiter limiter, @Nullable Object key) throws Exception {
        return ask(limiter, key).get(20, TimeUnit.SECONDS);
    }

    /** How many requests of each key are granted, if both instances get 20 of each. */
    private Map<Object, Long> grants(Mode mode) throws Exception {
        StoreRateLimiter[] both = {limiter(0, TEN, mode), limiter(1, TEN, mode)};
        Map<Object, List<CompletableFuture<Decision>>> asked = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            for (Object key : KEYS) {
                asked.computeIfAbsent(String.valueOf(key) + (key == null ? "" : key.getClass()), k -> new ArrayList<>())
                        .add(ask(both[i % 2], key));
            }
        }
        Map<Object, Long> granted = new HashMap<>();
        for (Map.Entry<Object, List<CompletableFuture<Decision>>> entry : asked.entrySet()) {
            long permits = 0;
            for (CompletableFuture<Decision> decision : entry.getValue()) {
                permits += decision.get(20, TimeUnit.SECONDS) instanceof Permit ? 1 : 0;
            }
            granted.put(entry.getKey(), permits);
        }
        assertEquals(KEYS.size(), granted.size());
        return granted;
    }

    @Test
    void D1_D9_exactModeGrantsEachKeyItsLimit() throws Exception {
        grants(Mode.exact()).forEach((key, granted) -> assertEquals(10, granted, () -> "key " + label(key)));
    }

    @Test
    void D1_batchedModeGrantsEachKeyItsLimitAtMost() throws Exception {
        Map<Object, Long> granted = grants(Mode.batched(3));
        granted.forEach((key, permits) ->
                assertTrue(permits <= 10 && permits >= 10 - 2 * 3, () -> permits + " for key " + label(key)));
    }

    @Test
    void verdictModeIsCountedAndRefusesAfterIt() throws Exception {
        Map<Object, Long> granted = grants(Mode.verdict());
        granted.forEach((key, permits) -> assertTrue(permits >= 10, () -> permits + " for key " + label(key)));
        StoreRateLimiter exact = limiter(0, TEN, Mode.exact());
        for (Object key : KEYS) {
            soon().until(() -> decide(exact, key) instanceof Rejection);
        }
    }

    private static String label(Object key) {
        String text = key.toString();
        return text.substring(0, Math.min(20, text.length()));
    }

    @Test
    void anotherSpecificationCarriesWhatWasUsedByAllInstances() throws Exception {
        StoreRateLimiter first = limiter(0, TEN, Mode.exact());
        StoreRateLimiter second = limiter(1, TEN, Mode.exact());
        for (int i = 0; i < 10; i++) {
            assertInstanceOf(Permit.class, decide(first, "a"));
        }
        assertInstanceOf(Rejection.class, decide(second, "a"));
        second.reconfigure(TokenBucket.of(15, HOUR));
        for (int i = 0; i < 5; i++) {
            assertInstanceOf(Permit.class, decide(second, "a"));
        }
        assertInstanceOf(Rejection.class, decide(second, "a"));
        assertInstanceOf(Rejection.class, decide(first, "a"));
        second.reconfigure(AllOf.of(TokenBucket.of(20, HOUR), TokenBucket.of(100, Duration.ofDays(1))));
        assertInstanceOf(Permit.class, decide(second, "b"));
    }

    @Test
    void anAnswerSaysWhatIsLeft() throws Exception {
        StoreRateLimiter limiter = limiter(0, TEN, Mode.exact());
        Permit permit = assertInstanceOf(Permit.class, decide(limiter, "a"));
        assertAll(
                () -> assertEquals(10, permit.quota().limit()),
                () -> assertEquals(9, permit.quota().remaining()));
    }

    @Test
    void whatWasNotUsedIsRefunded() throws Exception {
        StoreRateLimiter limiter = limiter(0, TEN, Mode.exact());
        Decision last = decide(limiter, "a");
        for (int i = 1; i < 10; i++) {
            last = decide(limiter, "a");
        }
        assertInstanceOf(Rejection.class, decide(limiter(1, TEN, Mode.exact()), "a"));
        assertInstanceOf(Permit.class, last).release(Outcome.CANCELLED);
        soon().until(() -> decide(limiter, "a") instanceof Permit);
    }

    private static Permit estimated(StoreRateLimiter limiter, long cost) throws Exception {
        Request request = Request.forKey("model").settled(cost);
        return assertInstanceOf(
                Permit.class, limiter.acquireAsync(request, Duration.ZERO).get(20, TimeUnit.SECONDS));
    }

    private static boolean isRefused(StoreRateLimiter limiter, long cost) throws Exception {
        Request request = Request.forKey("model").settled(cost);
        return limiter.acquireAsync(request, Duration.ZERO).get(20, TimeUnit.SECONDS) instanceof Rejection;
    }

    private static List<StrategySpec> hundreds() {
        return List.of(
                TokenBucket.of(100, HOUR),
                FixedWindow.of(100, HOUR),
                SlidingWindow.of(100, HOUR),
                SlidingLog.of(100, HOUR));
    }

    @Test
    void whatOneInstanceSettlesAndChargesCountsForAll() throws Exception {
        for (StrategySpec hundred : hundreds()) {
            StoreRateLimiter first = limiter(hundred + name, 0, Settled.of(hundred), Mode.exact());
            StoreRateLimiter second = limiter(hundred + name, 1, Settled.of(hundred), Mode.exact());
            Permit less = estimated(first, 60);
            Permit more = estimated(second, 40);
            assertTrue(isRefused(first, 1));
            assertTrue(less.settle(20));
            assertFalse(less.settle(0));
            soon().until(() -> !isRefused(second, 30));
            assertTrue(more.settle(80)); // 20, 30 and 80 are more than the limit
            assertTrue(first.charge(Request.forKey("model").settled(70)));
            soon().until(() -> isRefused(second, 1));
            assertEquals(1, first.status().settledAgain());
            Permit other = assertInstanceOf(Permit.class, decide(first, "other"));
            assertEquals(99, Objects.requireNonNull(other.quota()).remaining(), "each key by itself");
            first.reconfigure(hundred);
            assertFalse(first.charge(Request.forKey("model").settled(70)), "it does not count by cost now");
        }
    }

    @Test
    void anEstimateThatIsNeverSettledStaysSpent() throws Exception {
        for (StrategySpec hundred : hundreds()) {
            StoreRateLimiter gone = limiter(hundred + name, 0, Settled.of(hundred), Mode.exact());
            StoreRateLimiter stays = limiter(hundred + name, 1, Settled.of(hundred), Mode.exact());
            estimated(gone, 60);
            gone.close();
            assertTrue(isRefused(stays, 41));
            assertFalse(isRefused(stays, 40));
        }
    }

    @Test
    void aRequestLargerThanTheLimitIsGrantedWhenNothingIsUsedIfTheLimitSaysSo() throws Exception {
        for (StrategySpec hundred : hundreds()) {
            StoreRateLimiter never = limiter(hundred + name, 0, Settled.of(hundred), Mode.exact());
            StoreRateLimiter once =
                    limiter(hundred + name, 1, Settled.of(hundred).once(), Mode.exact());
            Decision refused = never.acquireAsync(Request.forKey("model").settled(250), Duration.ZERO)
                    .get(20, TimeUnit.SECONDS);
            assertEquals(
                    Reason.NEVER, assertInstanceOf(Rejection.class, refused).reason());
            Permit large = estimated(once, 250);
            assertTrue(isRefused(once, 1));
            assertTrue(isRefused(once, 250));
            assertTrue(large.settle(0));
            soon().until(() -> !isRefused(once, 90));
        }
    }
}
