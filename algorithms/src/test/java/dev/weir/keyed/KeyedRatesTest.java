package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Oracle.Grant;
import dev.weir.testkit.Seed;
import dev.weir.testkit.StrategyContract;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class KeyedRatesTest extends StrategyContract {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket TEN = TokenBucket.of(10, SECOND);

    @Override
    protected StrategySpec spec(long limit) {
        return Keyed.of(TokenBucket.of(limit, SECOND), 100);
    }

    @Override
    protected long maxWithin(long windowNanos, long limit) {
        return limit + windowNanos * limit / SECOND.toNanos();
    }

    @Override
    protected Request request(long permits) {
        return of("alice", permits);
    }

    private static Request of(Object key, long permits) {
        return new Request(permits, 0, key, Request.NO_DEADLINE);
    }

    private static boolean admits(ManagedLimiter limiter, Object key) {
        return limiter.tryAcquire(Request.forKey(key)) instanceof Permit;
    }

    private static long admitted(ManagedLimiter limiter, Object key, int tries) {
        long admitted = 0;
        for (int i = 0; i < tries; i++) {
            admitted += admits(limiter, key) ? 1 : 0;
        }
        return admitted;
    }

    private static ManagedLimiter limiter(StrategySpec spec, VirtualTime time) {
        return Limiters.builder("keyed", spec).ticker(time).build();
    }

    @Test
    void eachKeyHasItsOwn() {
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 100), new VirtualTime());
        assertEquals(10, admitted(limiter, "a", 20));
        assertEquals(10, admitted(limiter, "b", 20));
        assertEquals(10, admitted(limiter, KeyValues.of("GET /", "10.0.0.1", "b"), 20));
        assertEquals(0, admitted(limiter, KeyValues.of("GET /", "10.0.0.1", "b"), 20));
        assertEquals(10, admitted(limiter, KeyValues.of("GET /", "10.0.0.1b", ""), 20));
        assertEquals(10, admitted(limiter, 7L, 20));
        assertEquals(5L, limiter.snapshot().details().get("keys"));
    }

    @Test
    void K6_aRequestWithoutAKeyIsRefusedForGood() {
        for (Object none : new Object[] {null, ""}) {
            ManagedLimiter limiter = limiter(Keyed.of(TEN, 100), new VirtualTime());
            Rejection refused = assertInstanceOf(Rejection.class, limiter.tryAcquire(of(none, 1)));
            assertEquals(Rejection.Reason.KEY_MISSING, refused.reason());
            assertEquals(0L, limiter.snapshot().details().get("keys"));
        }
    }

    private static Object stored(Keys keys, Object key) {
        return Objects.requireNonNull(keys.stored(Request.forKey(key)));
    }

    @Test
    void K6_longKeysAreStoredAsDifferentDigests() {
        Keys keys = new Keys(List.of());
        String atLimit = "x".repeat(Keys.MAX_CHARS);
        assertEquals(atLimit, stored(keys, atLimit));
        Object digest = stored(keys, atLimit + "y");
        assertInstanceOf(Keys.Digest.class, digest);
        assertEquals(digest, stored(keys, atLimit + "y"));
        assertTrue(!digest.equals(stored(new Keys(List.of()), atLimit + "y")), "another table, another secret");
        assertTrue(!digest.equals(stored(keys, atLimit + "z")));
        // Encoded as UTF-8 both would end in "?".
        assertTrue(!stored(keys, atLimit + "\ud800").equals(stored(keys, atLimit + "\ud801")));
        assertTrue(!stored(keys, KeyValues.of(atLimit, "ab")).equals(stored(keys, KeyValues.of(atLimit + "a", "b"))));
        assertTrue(!stored(keys, Dimensions.of("a", atLimit, "b", "c"))
                .equals(stored(keys, Dimensions.of("a", atLimit + "b", "c", ""))));
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 100), new VirtualTime());
        assertEquals(10, admitted(limiter, "x".repeat(8_000), 20));
        assertEquals(10, admitted(limiter, "x".repeat(8_001), 20));
    }

    @Test
    void K1_usedThenEvictedThenUsedAgainIsWithinTheBound() {
        for (TokenBucket.Refill refill : TokenBucket.Refill.values()) {
            Seed.forAll(20, random -> {
                VirtualTime time = new VirtualTime(random.nextLong());
                TokenBucket perKey = new TokenBucket(10, SECOND, 10, random.nextLong(11), refill);
                ManagedLimiter limiter = limiter(Keyed.of(perKey, 10), time);
                List<Grant> grants = new ArrayList<>();
                long start = time.read();
                int flood = 0;
                for (int round = 0; round < 200; round++) {
                    for (int i = random.nextInt(15); i > 0; i--) {
                        if (admits(limiter, "attacker")) {
                            grants.add(new Grant(time.read() - start, 1));
                        }
                    }
                    for (int i = random.nextInt(60); i > 0; i--) {
                        admits(limiter, "flood" + flood++);
                    }
                    time.advance(random.nextLong(SECOND.toNanos() / 4));
                }
                // With INTERVAL, a window across a boundary may get a batch more: capacity + permits * ceil(W /
                // period).
                long more = refill == TokenBucket.Refill.INTERVAL ? 10 : 0;
                for (long window : new long[] {1, SECOND.toNanos() / 10, SECOND.toNanos(), 5 * SECOND.toNanos()}) {
                    Oracle.assertWindow(grants, window, 10 + more + window * 10 / SECOND.toNanos());
                }
                assertTrue(grants.size() > 50, "the attacker is served what is due: " + grants.size());
            });
        }
    }

    @Test
    void K1_aDayOfIdlingInAFloodRefundsNothing() {
        VirtualTime time = new VirtualTime();
        TokenBucket perDay = TokenBucket.of(100, Duration.ofDays(1));
        ManagedLimiter limiter = limiter(Keyed.of(perDay, 10), time);
        assertEquals(100, admitted(limiter, "attacker", 200));
        for (int i = 0; i < 1_000; i++) {
            admits(limiter, "flood" + i);
        }
        time.advance(Duration.ofMinutes(20));
        assertEquals(1, admitted(limiter, "attacker", 200));
        time.advance(Duration.ofDays(2));
        assertEquals(100, admitted(limiter, "attacker", 200));
    }

    /** A broken twin drops what it evicts, as caches of buckets do: it grants much more for the same script. */
    @Test
    void K1_withoutTheSketchEvictionRefunds() {
        Map<String, Strategy> lru = new java.util.LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Strategy> eldest) {
                return size() > 10;
            }
        };
        VirtualTime time = new VirtualTime();
        long admitted = 0;
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 20; i++) {
                admitted +=
                        lru.computeIfAbsent("attacker", k -> TEN.create(time)).acquire(Request.ONE) == 0 ? 1 : 0;
            }
            for (int i = 0; i < 20; i++) {
                lru.computeIfAbsent("flood" + i, k -> TEN.create(time)).acquire(Request.ONE);
            }
        }
        assertEquals(50, admitted);
    }

    @Test
    void K4_aStrategyIsCreatedOncePerKeyBetweenEvictions() throws Exception {
        AtomicInteger made = new AtomicInteger();
        StrategySpec counting = ticker -> {
            made.incrementAndGet();
            return TEN.create(ticker);
        };
        ManagedLimiter limiter = limiter(Keyed.of(counting, 1_000), new VirtualTime());
        int before = made.get();
        Threads.inParallel(4, thread -> {
            for (int i = 0; i < 10_000; i++) {
                admits(limiter, "key" + i % 500);
            }
        });
        assertEquals(500, made.get() - before);
    }

    @Test
    void W5_aReloadReachesEveryKeyAndAddsNothing() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 1_000), time);
        Map<String, Long> admitted = new TreeMap<>();
        for (int change = 0; change < 100; change++) {
            for (int key = 0; key < 50; key++) {
                admitted.merge("key" + key, admitted(limiter, "key" + key, 20), Long::sum);
            }
            limiter.reconfigure(Keyed.of(TokenBucket.of(change % 2 == 0 ? 11 : 10, SECOND), 1_000));
        }
        admitted.forEach((key, n) -> assertTrue(n <= 11, () -> key + " was admitted " + n + " times at one instant"));
        time.advance(SECOND);
        limiter.reconfigure(Keyed.of(TokenBucket.of(3, SECOND), 1_000));
        assertEquals(2, admitted(limiter, "key1", 20), "11 were used, 10 have refilled");
        assertEquals(3, admitted(limiter, "new", 20));
    }

    @Test
    void theDialSetsTheLimitOfPresentAndFutureKeys() {
        VirtualTime time = new VirtualTime();
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 1_000), time);
        assertEquals(10, admitted(limiter, "there", 20));
        assertEquals(10, admitted(limiter, "to come", 20) - admitted(limiter, "there", 20));
        limiter.dial().setLimit(2);
        time.advance(SECOND);
        assertEquals(2, admitted(limiter, "there", 20));
        admitted(limiter, "late", 20);
        time.advance(SECOND);
        assertEquals(2, admitted(limiter, "late", 20));
    }

    @Test
    void debtsSurviveAnotherSizeOfTableAndSketch() {
        for (long cells : new long[] {1, 64, 1 << 18}) {
            VirtualTime time = new VirtualTime();
            Keyed spec = Keyed.of(TEN, 10);
            ManagedLimiter limiter = limiter(spec, time);
            assertEquals(10, admitted(limiter, "attacker", 20));
            for (int i = 0; i < 100; i++) {
                admits(limiter, "flood" + i);
            }
            limiter.reconfigure(spec.withDebtCells(cells));
            assertEquals(0, admitted(limiter, "attacker", 20));
            limiter.reconfigure(Keyed.of(TEN, 1));
            assertEquals(0, admitted(limiter, "attacker", 20));
            assertTrue(limiter.snapshot().details().get("keys") <= 1);
        }
    }

    @Test
    void anotherKindAndBackLosesNothing() {
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 10), new VirtualTime());
        admitted(limiter, "a", 20);
        limiter.reconfigure(Keyed.of(new Semaphore(2), 10));
        assertEquals(2, admitted(limiter, "a", 20));
        limiter.reconfigure(Keyed.of(TEN, 10));
        assertEquals(0, admitted(limiter, "a", 20));
        assertEquals(10, admitted(limiter, "b", 20));
    }

    @Test
    void aCancelledRequestIsRefundedToTheKey() {
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 10), new VirtualTime());
        Permit permit =
                assertInstanceOf(Permit.class, limiter.attempt(of("a", 10).refundable()));
        assertEquals(0, admitted(limiter, "a", 20));
        permit.release(Outcome.CANCELLED);
        assertEquals(10, admitted(limiter, "a", 20));
    }

    @Test
    void theHeaviestAndTheMostRefusedAreFound() {
        HeavyHitters top = new HeavyHitters();
        ManagedLimiter limiter =
                limiter(Keyed.of(TokenBucket.of(2_000, SECOND), 100_000).watchedBy(top), new VirtualTime());
        for (int i = 0; i < 200_000; i++) {
            admits(limiter, "crowd" + i);
            if (i % 20 == 0) {
                admits(limiter, "\u001b[31mbad\r\n<b>");
            }
            if (i % 100 == 0) {
                admits(limiter, "big");
            }
        }
        assertEquals("?[31mbad??<b>", top.mostRefused(1).get(0).label());
        long refused = top.mostRefused(1).get(0).estimate();
        assertTrue(refused > 7_000 && refused < 9_000, () -> "8000 refused, estimated " + refused);
        List<String> heaviest = top.heaviest(2).stream()
                .map(HeavyHitters.Hitter::label)
                .sorted()
                .toList();
        assertEquals(List.of("?[31mbad??<b>", "big"), heaviest);
        top.reset();
        assertEquals(List.of(), top.heaviest(5));
    }

    @Test
    void K6_byOneNameOthersDoNotMatterAndAKeyWithoutItIsNone() {
        VirtualTime time = new VirtualTime();
        Keyed byUser = Keyed.of(TokenBucket.of(1, Duration.ofSeconds(1)), 10).by("user");
        ManagedLimiter limiter = Limiters.builder("user", byUser).ticker(time).build();
        assertTrue(admits(limiter, Dimensions.of("url", "/a", "user", "ann")));
        assertFalse(admits(limiter, Dimensions.of("url", "/b", "user", "ann")));
        assertFalse(admits(limiter, Dimensions.of("user", "ann")), "by whatever other names there are");
        assertFalse(admits(limiter, Dimensions.of("user", "ann", "zone", "eu", "url", "/")));
        assertTrue(admits(limiter, Dimensions.of("url", "/b", "user", "ben")));
        for (Object none : new Object[] {
            "ann",
            KeyValues.of("ann"),
            Dimensions.of("url", "ann"),
            Dimensions.of("url", "/a", "user", ""),
            Dimensions.of("user", "")
        }) {
            assertEquals(Rejection.Reason.KEY_MISSING, ((Rejection) limiter.tryAcquire(Request.forKey(none))).reason());
        }
        limiter.reconfigure(byUser.withPerKey(TokenBucket.of(1, Duration.ofSeconds(9))));
        assertFalse(admits(limiter, Dimensions.of("ip", "::1", "user", "ann")), "the table continues");
        limiter.reconfigure(byUser.by("url"));
        assertTrue(admits(limiter, Dimensions.of("url", "/b", "user", "ann")));
        assertThrows(IllegalArgumentException.class, () -> byUser.by(""));
        assertThrows(
                IllegalArgumentException.class,
                () -> byUser.by(IntStream.range(0, 17).mapToObj(i -> "n" + i).toArray(String[]::new)));
    }

    @Test
    void K6_severalNamesAreOneKeyInWhateverOrderTheyAreGiven() {
        HeavyHitters hitters = new HeavyHitters();
        Keyed pair = Keyed.of(TEN, 100).by("user", "tenant", "user");
        assertEquals(Keyed.of(TEN, 100).by("tenant", "user"), pair);
        ManagedLimiter limiter = limiter(pair.watchedBy(hitters), new VirtualTime());
        assertEquals(10, admitted(limiter, Dimensions.of("tenant", "a", "user", "ann"), 20));
        assertEquals(0, admitted(limiter, Dimensions.of("user", "ann", "tenant", "a", "ip", "::1"), 20));
        assertEquals(10, admitted(limiter, Dimensions.of("tenant", "ann", "user", "a"), 20));
        assertEquals(0, admitted(limiter, Dimensions.of("tenant", "a"), 20));
        assertEquals(0, admitted(limiter, Dimensions.of("tenant", "a", "user", ""), 20));
        limiter.reconfigure(pair.by("user", "tenant").watchedBy(hitters));
        assertEquals(0, admitted(limiter, Dimensions.of("tenant", "a", "user", "ann"), 1_000));
        assertEquals(KeyValues.of("a", "ann"), hitters.mostRefused(1).get(0).key());
    }

    @Test
    void K6_theWholeKeyIsAllNamesAndValues() {
        ManagedLimiter limiter = limiter(Keyed.of(TEN, 100), new VirtualTime());
        assertEquals(10, admitted(limiter, Dimensions.of("a", "x", "b", "y"), 20));
        assertEquals(0, admitted(limiter, Dimensions.of("b", "y", "a", "x"), 20));
        assertEquals(10, admitted(limiter, Dimensions.of("a", "y", "b", "x"), 20));
        assertEquals(10, admitted(limiter, Dimensions.of("a", "x"), 20));
        assertEquals(10, admitted(limiter, Dimensions.of("b", "x"), 20));
        assertEquals(10, admitted(limiter, "x", 20));
        assertEquals(0, admitted(limiter, Dimensions.of("a", "", "b", ""), 20));
    }
}
