package dev.weir.verification.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import dev.weir.keyed.Keyed;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
            assertTrue(limiter.tryAcquire(Request.forKey(Dimensions.of("user", key, "url", "/"))) instanceof Permit);
        }
        assertEquals(100_000L, limiter.snapshot().details().get("keys"));
        assertInstanceOf(Comparable.class, Dimensions.of("a", "b", "c", "d"));
        assertInstanceOf(Comparable.class, KeyValues.of("a", "b"));
    }
}
