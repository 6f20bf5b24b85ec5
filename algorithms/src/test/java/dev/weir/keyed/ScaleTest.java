package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("proof")
class ScaleTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket TEN = TokenBucket.of(10, SECOND);

    @Test
    void K1_K2_K3_tenMillionKeysThroughATableOfAHundredThousandIn256Megabytes() throws Exception {
        Map<String, Long> figures = inOwnJvm("-Xmx256m", "flood", Stress.of("1000000", "10000000", "100000000"));
        System.out.println("flood: " + figures);
        assertTrue(figures.get("attacker") <= figures.get("attackerBound"), figures::toString);
        assertTrue(figures.get("attacker") >= figures.get("attackerBound") * 9 / 10, figures::toString);
        assertTrue(figures.get("regularPermille") >= 990, figures::toString);
        assertTrue(figures.get("newKeysPermille") >= 990, figures::toString);
        assertTrue(figures.get("keys") <= 101_000, figures::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "dial", "reload", "algorithm"})
    void K2_aMillionKeysTakeAtMost150BytesEachBesideTheKeyAlsoAfterAChange(String change) throws Exception {
        Map<String, Long> figures = inOwnJvm("-Xmx768m", "memory", "1000000", change);
        System.out.println("memory: " + change + " " + figures);
        assertEquals(1_000_000, figures.get("keys"));
        assertEquals(1_000_000, figures.get("admitted"));
        assertTrue(figures.get("bytesPerKey") <= 150, figures::toString);
    }

    private static Map<String, Long> inOwnJvm(String heap, String... args) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        ProcessBuilder builder =
                new ProcessBuilder(java, heap, "-XX:+UseSerialGC", "-cp", classes, Scale.class.getName());
        builder.command().addAll(List.of(args));
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), printed);
        return Arrays.stream(printed.split("\n"))
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(words -> words[0], words -> Long.valueOf(words[1])));
    }

    /** Time stands still, so nothing refills: each key is granted ten in all. */
    static List<List<StrategySpec>> reloads() {
        return List.of(
                List.of(TEN),
                List.of(TEN, TEN.withCapacity(9)),
                List.of(TEN, FixedWindow.of(10, SECOND), SlidingLog.of(10, SECOND)),
                List.of(new FirstHitQuota(10, SECOND), SlidingWindow.of(9, SECOND), Gcra.of(10, SECOND)),
                List.of(AllOf.of(TEN, SlidingLog.of(10, SECOND)), SlidingLog.of(10, SECOND)));
    }

    @ParameterizedTest
    @MethodSource("reloads")
    void K1_threadsUnderEvictionGetExactlyTheBound(List<StrategySpec> reloads) throws Exception {
        int keys = 2_000;
        ManagedLimiter limiter = Limiters.builder(
                        "race", Keyed.of(reloads.get(0), 8).withDebtCells(1 << 17))
                .ticker(new VirtualTime())
                .build();
        AtomicIntegerArray admitted = new AtomicIntegerArray(keys);
        Threads.inParallel(4, thread -> {
            SplittableRandom random = new SplittableRandom(thread / 2);
            int rounds = Stress.of(20_000, 100_000, 1_000_000);
            for (int i = 0; i < rounds; i++) {
                int key = (i / (rounds / keys) + random.nextInt(12)) % keys;
                if (limiter.tryAcquire(Request.forKey("key" + key)) instanceof Permit) {
                    admitted.incrementAndGet(key);
                }
                if (thread == 0 && i % (rounds / 200) == 0) {
                    StrategySpec next = reloads.get(i / (rounds / 200) % reloads.size());
                    limiter.reconfigure(Keyed.of(next, 8).withDebtCells(1 << 17));
                }
            }
        });
        long sum = 0;
        for (int key = 0; key < keys; key++) {
            int got = admitted.get(key);
            sum += got;
            int which = key;
            assertTrue(got <= 10, () -> "key" + which + " was admitted " + got + " times");
        }
        long all = sum;
        assertTrue(all > keys * 8L, () -> "the keys are served: " + all);
    }

    /** A linear search would take about 10^10 comparisons per round. */
    @Test
    void K6_aHundredThousandKeysWithOneHashCodeAreFoundInFewComparisons() {
        ManagedLimiter limiter = Limiters.builder("collide", Keyed.of(TEN, 200_000))
                .ticker(new VirtualTime())
                .build();
        AtomicLong comparisons = new AtomicLong();
        List<Colliding> keys = IntStream.range(0, 100_000)
                .mapToObj(id -> new Colliding(id, comparisons))
                .toList();
        for (int round = 0; round < 3; round++) {
            for (Colliding key : keys) {
                assertTrue(limiter.tryAcquire(Request.forKey(key)) instanceof Permit);
            }
        }
        assertEquals(100_000L, limiter.snapshot().details().get("keys"));
        assertTrue(comparisons.get() < 100_000_000, () -> comparisons + " comparisons");
    }

    private record Colliding(int id, AtomicLong comparisons) implements Comparable<Colliding> {
        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return other instanceof Colliding colliding && colliding.id == id;
        }

        @Override
        public int compareTo(Colliding other) {
            comparisons.incrementAndGet();
            return Integer.compare(id, other.id);
        }
    }

    /** Keys that Weir itself creates are comparable, so they are found in few comparisons. */
    @Test
    void K6_stringsAndDimensionsWithOneHashCodeAreDifferentKeys() {
        ManagedLimiter limiter = Limiters.builder("collide", Keyed.of(TEN, 200_000))
                .ticker(new VirtualTime())
                .build();
        String[] keys = new String[50_000];
        for (int i = 0; i < keys.length; i++) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < 17; bit++) {
                key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            keys[i] = key.toString();
            assertEquals(keys[0].hashCode(), keys[i].hashCode());
        }
        for (String key : keys) {
            assertTrue(limiter.tryAcquire(Request.forKey(key)) instanceof Permit);
            assertTrue(limiter.tryAcquire(Request.forKey(Dimensions.of(key, "/"))) instanceof Permit);
        }
        assertEquals(100_000L, limiter.snapshot().details().get("keys"));
        assertInstanceOf(Comparable.class, Dimensions.of("a", "b"));
    }
}
