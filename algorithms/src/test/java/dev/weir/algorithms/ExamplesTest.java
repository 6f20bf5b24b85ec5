package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples in the Javadoc of the specifications: they run, and are the same as here. */
class ExamplesTest {
    private static String load() {
        return "row";
    }

    @Test
    void rates() {
        // region TokenBucket
        // 100 per second, bursts of 20
        Limiter api =
                Limiters.of("api", TokenBucket.of(100, Duration.ofSeconds(1)).withCapacity(20));
        // end
        // region LeakyBucket
        // 10 per second, evenly, and up to 5 more at once
        Limiter login =
                Limiters.of("login", LeakyBucket.of(10, Duration.ofSeconds(1)).withBurst(5));
        // end
        // region Pacer
        // one request every 20 ms
        Limiter sms = Limiters.of("sms", Pacer.of(50, Duration.ofSeconds(1)));
        // end
        // region Gcra
        // one per 100 ms, each up to 400 ms early
        Limiter feed = Limiters.of("feed", Gcra.every(Duration.ofMillis(100), Duration.ofMillis(400)));
        // end
        // region FixedWindow
        // 10,000 per day in UTC
        Limiter quota = Limiters.of("quota", FixedWindow.aligned(10_000, Duration.ofDays(1)));
        // end
        // region SlidingWindow
        // 1,000 in any hour, counted by the minute
        Limiter export = Limiters.of(
                "export", SlidingWindow.of(1_000, Duration.ofHours(1)).withBlocks(60));
        // end
        // region SlidingLog
        // never more than 100 within any minute
        Limiter mail = Limiters.of("mail", SlidingLog.of(100, Duration.ofMinutes(1)));
        // end
        // region FirstHitQuota
        // five attempts, then none until 15 minutes after the first
        Limiter otp = Limiters.of("otp", new FirstHitQuota(5, Duration.ofMinutes(15)));
        // end
        for (Limiter limiter : List.of(api, login, sms, feed, mail, otp)) {
            assertInstanceOf(Permit.class, limiter.tryAcquire());
        }
        assertEquals(10_000, granted(quota, 10_000));
        assertEquals(1_000, granted(export, 2_000));
    }

    @Test
    void concurrencyLimits() throws Exception {
        // region Semaphore
        ManagedLimiter db = Limiters.of("db", new Semaphore(10));
        String row = db.call(() -> load());
        // end
        assertEquals("row", row);
        // region Counter
        Limiter connections = Limiters.of("connections", new Counter(200));
        // end
        assertEquals(200, granted(connections, 300));
        // region PriorityShedding
        // priority 1 leaves 10 % free, priority 2 and higher leave 50 %
        Limiter checkout = Limiters.of("checkout", PriorityShedding.of(100, 10, 50));
        // end
        assertEquals(100, granted(checkout, 200));
        // region Partitioned
        // 60 for paid, 30 for free; half of an unused guarantee may be borrowed
        Map<Object, Integer> percents = Map.of("paid", 60, "free", 30);
        Limiter search = Limiters.of("search", new Partitioned(100, percents, 50));
        // end
        assertEquals(55, granted(search, 100));
    }

    @Test
    void combinations() {
        // region AllOf
        // at most 10 in flight and at most 100 per second
        StrategySpec both = AllOf.of(new Semaphore(10), TokenBucket.of(100, Duration.ofSeconds(1)));
        Limiter payments = Limiters.of("payments", both);
        // end
        assertEquals(10, granted(payments, 20));
        // region WarmUp
        // from 33 to 100 in flight within a minute after the start
        Limiter orders = Limiters.of("orders", WarmUp.of(new Semaphore(100), Duration.ofMinutes(1)));
        // end
        assertInstanceOf(Permit.class, orders.tryAcquire());
        // region Keyed
        // 100 per second for each client, 10,000 clients in memory
        StrategySpec perClient = TokenBucket.of(100, Duration.ofSeconds(1));
        Limiter clients = Limiters.of("clients", Keyed.of(perClient, 10_000));
        Decision decision = clients.tryAcquire(Request.forKey("client-7"));
        // end
        assertInstanceOf(Permit.class, decision);
    }

    private static int granted(Limiter limiter, int requests) {
        int granted = 0;
        for (int i = 0; i < requests; i++) {
            granted += limiter.tryAcquire() instanceof Permit ? 1 : 0;
        }
        return granted;
    }

    @Test
    void theJavadocHasTheSameCode() throws IOException {
        String here = Files.readString(Path.of("src/test/java/dev/weir/algorithms/ExamplesTest.java"));
        Matcher region = Pattern.compile("// region (\\w+)\n(.*?)// end\n", Pattern.DOTALL)
                .matcher(here);
        Map<String, String> expected = new TreeMap<>();
        Map<String, String> documented = new TreeMap<>();
        while (region.find()) {
            String type = region.group(1);
            String folder = type.equals("Keyed") ? "keyed/" : "algorithms/";
            String source = Files.readString(Path.of("src/main/java/dev/weir/" + folder + type + ".java"));
            Matcher example = Pattern.compile("<pre>\\{@code\n(.*?)}</pre>", Pattern.DOTALL)
                    .matcher(source);
            assertTrue(example.find(), type);
            expected.put(type, squeezed(region.group(2)));
            documented.put(type, squeezed(example.group(1).replaceAll("(?m)^ \\*", "")));
        }
        assertEquals(15, expected.size());
        assertEquals(expected, documented);
    }

    private static String squeezed(String code) {
        return code.strip().replaceAll("\\s+", " ").replace(" .", ".").replace("( ", "(");
    }
}
