package dev.weir.http;

import static dev.weir.http.ParsedFields.permit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.http.Policy.Unit;
import dev.weir.http.RateLimitFields.Reset;
import dev.weir.keyed.Keyed;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field is what a parser of structured fields reads, whatever the names and figures of limits are. */
@Tag("property")
class FieldsSyntaxTest {
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private static String name(SplittableRandom random) {
        int length = random.nextInt(4) == 0 ? 255 : random.nextInt(30);
        StringBuilder name = new StringBuilder("n");
        while (name.length() <= length) {
            name.append(
                    switch (random.nextInt(5)) {
                        case 0 -> "\"\\%;,=".charAt(random.nextInt(6));
                        case 1 -> (char) random.nextInt(0x20);
                        case 2 -> (char) random.nextInt(0x10000);
                        default -> (char) random.nextInt(0x80);
                    });
        }
        return name.toString();
    }

    private static long figure(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> Long.MAX_VALUE;
            default -> random.nextLong(Long.MAX_VALUE) >> random.nextInt(62);
        };
    }

    private static Policy policy(SplittableRandom random, int number) {
        boolean hasWindow = random.nextBoolean();
        String name = number + name(random);
        return new Policy(
                name.substring(0, Math.min(256, name.length())),
                figure(random),
                hasWindow ? Duration.ofNanos(Math.max(1, figure(random))) : null,
                hasWindow || random.nextBoolean() ? Unit.REQUESTS : Unit.CONCURRENT_REQUESTS);
    }

    private static String inUtf8(String name) {
        return new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static Map<String, Object> figures(Policy policy) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("q", Math.min(MAX_INTEGER, policy.quota()));
        Duration window = policy.window();
        if (policy.unit() == Unit.CONCURRENT_REQUESTS) {
            figures.put("qu", "concurrent-requests");
        } else if (window != null && window.toSeconds() > 0) {
            figures.put("w", window.plusNanos(999_999_999).toSeconds());
        }
        return figures;
    }

    @Test
    void H2_aParserReadsThePoliciesThatWereWritten() {
        Seed.forAll(500, random -> {
            RateLimitFields.Builder builder =
                    RateLimitFields.builder().legacy(Reset.EPOCH_SECONDS, InstantSource.fixed(Instant.EPOCH));
            Map<String, Map<String, Object>> expected = new LinkedHashMap<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                Policy policy = policy(random, i);
                builder.policy(policy);
                expected.put(inUtf8(policy.name()), figures(policy));
            }
            Quota quota = new Quota(figure(random), figure(random), figure(random), figure(random));
            ParsedFields parsed = ParsedFields.of(builder.build(), Request.ONE, permit(quota));
            Map<String, Map<String, Object>> read = new LinkedHashMap<>();
            parsed.policies().forEach((name, figures) -> {
                String decoded = ParsedFields.decoded(name);
                if (!expected.get(decoded).containsKey("w")) {
                    // The store told it.
                    figures.remove("w");
                }
                read.put(decoded, figures);
            });
            assertEquals(expected.keySet(), read.keySet());
            if (expected.size() > 1) {
                assertEquals(expected, read);
            }
            assertTrue(parsed.limits().size() <= 1, "of one limit only the store told");
            parsed.limits().values().forEach(figures -> {
                assertEquals(Math.min(MAX_INTEGER, Math.min(quota.remaining(), quota.limit())), figures.get("r"));
                assertEquals(
                        quota.resetNanos() == 0 ? null : (Object) ((quota.resetNanos() - 1) / 1_000_000_000 + 1),
                        figures.get("t"));
            });
        });
    }

    @Test
    void H2_aParserReadsTheRefusalThatWasWritten() {
        Seed.forAll(500, random -> {
            List<Policy> policies = new ArrayList<>();
            RateLimitFields.Builder builder = RateLimitFields.builder();
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                policies.add(policy(random, i));
                builder.policy(policies.get(policies.size() - 1));
            }
            String refusing = random.nextInt(3) == 0
                    ? name(random)
                    : policies.get(random.nextInt(policies.size())).name();
            Reason reason = Reason.values()[random.nextInt(Reason.values().length)];
            Rejection rejection = new Rejection(refusing, reason, figure(random), figure(random));
            ParsedFields parsed = ParsedFields.of(builder.build(), Request.ONE, rejection);
            assertTrue(parsed.policies().size() <= 1, parsed::toString);
            parsed.policies().keySet().forEach(name -> assertEquals(inUtf8(refusing), ParsedFields.decoded(name)));
            parsed.limits().keySet().forEach(name -> assertEquals(0, parsed.left(name)));
            assertEquals(
                    reason == Reason.KEY_MISSING || reason == Reason.NEVER,
                    !parsed.texts().containsKey("Retry-After"));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\"b",
                "\\",
                "a\\\"",
                "a, \"b\";q=1",
                "é ü 漢字 \ud83d\ude00",
                "100%",
                "%41",
                "\u0001",
                "a\r\nX: 1"
            })
    void H2_aHostileNameIsReadAsItWas(String name) {
        ManagedLimiter parts =
                Limiters.of(name, new AllOf(List.of(new Semaphore(3), TokenBucket.of(1, Duration.ofMillis(1)))));
        ParsedFields parsed = ParsedFields.of(RateLimitFields.of(parts), Request.ONE, parts.tryAcquire());
        assertEquals(
                List.of(name + "-1", name + "-2"),
                parsed.policies().keySet().stream().map(ParsedFields::decoded).toList());
    }

    @Test
    void H2_limitersAtTheirEdgesAreRead() {
        String longest = "é".repeat(256);
        ManagedLimiter huge = Limiters.builder(longest, TokenBucket.of(1L << 60, Duration.ofDays(365)))
                .ticker(new VirtualTime())
                .build();
        ParsedFields parsed = ParsedFields.of(RateLimitFields.of(huge), Request.ONE, huge.tryAcquire());
        assertEquals(
                longest,
                ParsedFields.decoded(parsed.policies().keySet().iterator().next()));
        assertEquals(
                Map.of("q", MAX_INTEGER, "w", 31_536_000L),
                parsed.policies().values().iterator().next());

        ManagedLimiter soon = Limiters.builder("soon", Keyed.of(FixedWindow.of(1, Duration.ofMillis(20)), 10))
                .ticker(new VirtualTime())
                .build();
        Request ann = Request.forKey("ann");
        RateLimitFields fields = RateLimitFields.of(soon);
        assertEquals(
                Map.of("q", 1L),
                ParsedFields.of(fields, ann, soon.tryAcquire(ann)).policies().get("soon"));
        assertEquals(
                Map.of("r", 0L, "t", 1L),
                ParsedFields.of(fields, ann, soon.tryAcquire(ann)).limits().get("soon"));

        ManagedLimiter none = Limiters.of("none", new Semaphore(1));
        try (Permit held = (Permit) none.tryAcquire()) {
            assertEquals(
                    0,
                    ParsedFields.of(RateLimitFields.of(none), Request.ONE, held).left("none"));
            assertEquals(
                    0,
                    ParsedFields.of(RateLimitFields.of(none), Request.ONE, none.tryAcquire())
                            .left("none"));
        }
    }
}
