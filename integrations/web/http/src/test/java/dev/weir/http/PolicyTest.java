package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private static String told(StrategySpec spec) {
        List<String> policies =
                Policy.of("a", spec).stream().map(PolicyTest::told).toList();
        return String.join(", ", policies);
    }

    private static String told(Policy policy) {
        return Policies.Part.of(policy).text();
    }

    private static String left(String name, long remaining, long resetNanos) {
        StringBuilder text = new StringBuilder();
        HttpText.limit(text, HttpText.string(name), remaining, resetNanos);
        return text.toString();
    }

    @Test
    void aSpecificationTellsItsQuotaAndWindow() {
        assertEquals(
                "\"a\";q=100;w=60",
                told(TokenBucket.of(100, Duration.ofMinutes(1)).withCapacity(7)));
        assertEquals("\"a\";q=1000;w=3600", told(SlidingWindow.of(1000, HOUR)));
        assertEquals("\"a\";q=5;w=1", told(FixedWindow.of(5, SECOND)));
        assertEquals("\"a\";q=7;w=60", told(Pacer.of(7, Duration.ofMinutes(1))));
        assertEquals("\"a\";q=3;w=1", told(Gcra.of(3, SECOND)));
        assertEquals("\"a\";q=40;qu=\"concurrent-requests\"", told(new Semaphore(40)));
        assertEquals("\"a\";q=100;w=1", told(WarmUp.of(TokenBucket.of(100, SECOND), HOUR)));
    }

    @Test
    void partsOfASpecificationAreNumbered() {
        StrategySpec both = new AllOf(List.of(TokenBucket.of(10, SECOND), SlidingWindow.of(1000, HOUR)));
        assertEquals("\"a-1\";q=10;w=1, \"a-2\";q=1000;w=3600", told(both));
    }

    @Test
    void aLimitByKeyTellsTheLimitOfOneKey() {
        assertEquals("\"a\";q=10;w=1", told(Keyed.of(TokenBucket.of(10, SECOND), 100)));
        assertEquals("\"a\";q=4;qu=\"concurrent-requests\"", told(Keyed.of(new Semaphore(4), 100)));
    }

    @Test
    void aWindowIsInWholeSecondsAndOmittedBelowOne() {
        assertEquals("\"a\";q=1", told(Policy.rate("a", 1, Duration.ofMillis(999))));
        assertEquals("\"a\";q=1;w=1", told(Policy.rate("a", 1, SECOND)));
        assertEquals("\"a\";q=1;w=2", told(Policy.rate("a", 1, Duration.ofMillis(1001))));
    }

    @Test
    void H2_namesAreEscapedAndControlCharactersPercentEncoded() {
        assertEquals("\"a\\\"b\\\\c\"", HttpText.string("a\"b\\c"));
        assertEquals("\"%0D%0ASet-Cookie: x=1\"", HttpText.string("\r\nSet-Cookie: x=1"));
        assertEquals("\"%C3%A9%00%7F%1B\"", HttpText.string("\u00e9\u0000\u007f\u001b"));
        assertEquals("\"100%25\"", HttpText.string("100%"));
        assertEquals("\"?\"", HttpText.string("\ud800"));
    }

    @Test
    void numbersStayWithinThoseOfStructuredFields() {
        assertEquals("\"a\";q=999999999999999", told(new Policy("a", Long.MAX_VALUE, null, Policy.Unit.REQUESTS)));
        assertEquals("\"a\";r=999999999999999;t=9223372037", left("a", Long.MAX_VALUE, Long.MAX_VALUE));
        assertEquals("\"a\";r=0;t=0", left("a", 0, 0));
        assertEquals("\"a\";r=0;t=1", left("a", 0, 1));
        assertEquals("\"a\";r=0;t=1", left("a", 0, 1_000_000_000));
        assertEquals("\"a\";r=0;t=2", left("a", 0, 1_000_000_001));
    }

    @Test
    void wrongComponentsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Policy.concurrency(" ", 1));
        assertThrows(IllegalArgumentException.class, () -> Policy.concurrency("a".repeat(257), 1));
        assertThrows(IllegalArgumentException.class, () -> Policy.concurrency("a", -1));
        assertThrows(IllegalArgumentException.class, () -> Policy.rate("a", 1, Duration.ZERO));
    }
}
