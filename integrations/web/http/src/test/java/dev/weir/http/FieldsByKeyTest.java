package dev.weir.http;

import static dev.weir.http.ParsedFields.permit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ResourceSource;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.spi.LimitView;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What clients are told of limits by key, and of several limits at once. */
class FieldsByKeyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final LimiterRegistry names = LimiterRegistry.builder()
            .source(ResourceSource.of(FieldsByKeyTest.class, "by-key.yaml"))
            .ticker(new VirtualTime())
            .onEvent(event -> {})
            .build();

    @AfterEach
    void close() {
        names.close();
    }

    private static Request from(NamedLimiter limiter, String user, String address) {
        return limiter.request(dimension -> dimension.equals("user") ? user : address);
    }

    private static ParsedFields asked(NamedLimiter limiter, RateLimitFields fields, Request request) {
        return ParsedFields.of(fields, request, limiter.tryAcquire(request));
    }

    @Test
    void H2_whatIsLeftCountsDownForOneClientAndDoesNotMoveForAnother() {
        NamedLimiter both = names.names().limiter("per-user", "per-address");
        RateLimitFields fields = RateLimitFields.of(both);
        for (long used = 1; used <= 3; used++) {
            asked(both, fields, from(both, "ann", "192.0.2.1"))
                    .assertLeft(Map.of("per-user", 100 - used, "per-address", 4 - used));
        }
        asked(both, fields, from(both, "ben", "192.0.2.2")).assertLeft(Map.of("per-user", 99L, "per-address", 3L));
        asked(both, fields, from(both, "cat", "192.0.2.1")).assertLeft(Map.of("per-user", 99L, "per-address", 0L));

        ParsedFields refused = asked(both, fields, from(both, "cat", "192.0.2.1"));
        refused.assertLeft(Map.of("per-address", 0L));
        assertEquals("\"per-address\";q=4;w=60", refused.texts().get("RateLimit-Policy"));
        assertEquals("\"per-address\";r=0;t=15", refused.texts().get("RateLimit"));
        asked(both, fields, from(both, "cat", "192.0.2.3")).assertLeft(Map.of("per-user", 98L, "per-address", 3L));
    }

    @Test
    void aNameAloneTellsTheSameAsTogetherWithOthers() {
        NamedLimiter alone = names.limiter("per-address");
        RateLimitFields fields = RateLimitFields.of(alone);
        Request ann = from(alone, "ann", "192.0.2.1");
        asked(alone, fields, ann).assertLeft(Map.of("per-address", 3L));
        assertEquals(
                "\"per-address\";r=2;t=30", asked(alone, fields, ann).texts().get("RateLimit"));
    }

    @Test
    void eachLimitTellsWhatTheRequestCostOfIt() {
        NamedLimiter both = names.names().limiter("tokens", "slots");
        RateLimitFields fields = RateLimitFields.of(both);
        Request dear = both.request(dimension -> "ann", Map.of("tokens", 10L));
        Permit first = assertInstanceOf(Permit.class, both.tryAcquire(dear));
        ParsedFields.of(fields, dear, first).assertLeft(Map.of("tokens", 40L, "slots", 2L));
        Permit second = assertInstanceOf(Permit.class, both.tryAcquire(dear));
        ParsedFields.of(fields, dear, second).assertLeft(Map.of("tokens", 30L, "slots", 1L));
        first.release(Outcome.SUCCESS);
        ParsedFields.of(fields, dear, second).assertLeft(Map.of("tokens", 30L, "slots", 2L));
    }

    @Test
    void H2_aRequestWithoutItsKeyIsToldTheLimitThatNeedsIt() {
        NamedLimiter both = names.names().limiter("slots", "tokens");
        RateLimitFields fields = RateLimitFields.of(both);
        Request keyless = both.request(dimension -> null);
        Decision refused = both.tryAcquire(keyless);
        assertEquals(400, RateLimitFields.status(assertInstanceOf(Rejection.class, refused)));
        ParsedFields told = ParsedFields.of(fields, keyless, refused);
        assertEquals(Map.of("RateLimit-Policy", "\"tokens\";q=50;w=3600"), told.texts());
    }

    @Test
    @Tag("property")
    void H2_eachClientIsToldItsOwnFiguresOfEachLimit() {
        Seed.forAll(100, random -> {
            long perMinute = 1 + random.nextInt(6);
            long perDay = 1 + random.nextInt(9);
            try (LimiterRegistry own =
                    LimiterRegistry.builder().ticker(new VirtualTime()).build()) {
                own.limiter("day", Keyed.of(SlidingWindow.of(perDay, DAY), 100));
                own.limiter("minute", Keyed.of(FixedWindow.of(perMinute, MINUTE), 100));
                own.limiter("slots", new Semaphore(1 + random.nextInt(20)));
                NamedLimiter all = own.names().limiter("slots", "minute", "day");
                RateLimitFields fields = RateLimitFields.of(all);
                Map<String, Long> granted = new TreeMap<>();
                for (int step = 0; step < 60; step++) {
                    String client = "c" + random.nextInt(4);
                    long used = granted.getOrDefault(client, 0L);
                    Request request = Request.forKey(client);
                    Decision decision = all.tryAcquire(request);
                    ParsedFields told = ParsedFields.of(fields, request, decision);
                    if (decision instanceof Permit permit) {
                        granted.put(client, used + 1);
                        assertEquals(perMinute - used - 1, told.left("minute"), told::toString);
                        assertEquals(perDay - used - 1, told.left("day"), told::toString);
                        permit.release(Outcome.SUCCESS);
                    } else {
                        // The first in the order of the alphabet that has nothing left for this client.
                        told.assertLeft(Map.of(used == perDay ? "day" : "minute", 0L));
                        assertEquals(Math.min(perDay, perMinute), used);
                    }
                }
            }
        });
    }

    @Test
    void theTextOfThePoliciesIsKeptUntilASpecificationChanges() {
        NamedLimiter both = names.names().limiter("per-user", "slots");
        RateLimitFields fields = RateLimitFields.of(both);
        Request ann = from(both, "ann", "192.0.2.1");
        Request ben = from(both, "ben", "192.0.2.2");
        String first = asked(both, fields, ann).texts().get("RateLimit-Policy");
        assertEquals("\"per-user\";q=100;w=86400, \"slots\";q=3;qu=\"concurrent-requests\"", first);
        assertSame(first, asked(both, fields, ben).texts().get("RateLimit-Policy"));
        assertSame(first, asked(both, fields, ann).texts().get("RateLimit-Policy"));

        names.limiter("replaced", TokenBucket.of(5, MINUTE));
        NamedLimiter changing = names.names().limiter("replaced", "slots");
        RateLimitFields ofChanging = RateLimitFields.of(changing);
        String before = asked(changing, ofChanging, Request.ONE).texts().get("RateLimit-Policy");
        names.limiter("replaced", TokenBucket.of(6, MINUTE));
        String after = asked(changing, ofChanging, Request.ONE).texts().get("RateLimit-Policy");
        assertEquals(before.replace("q=5", "q=6"), after);
        assertEquals(
                after,
                ParsedFields.of(ofChanging, Request.ONE, changing.tryAcquire())
                        .texts()
                        .get("RateLimit-Policy"));
    }

    @Test
    void figuresThatAStoreDecidedAreToldOfTheLimitThatItCounts() {
        LimitView stored = new LimitView() {
            @Override
            public String name() {
                return "stored";
            }

            @Override
            public StrategySpec spec() {
                return TokenBucket.of(1000, MINUTE);
            }
        };
        NamedLimiter address = names.limiter("per-address");
        Request ann = from(address, "ann", "192.0.2.1");
        RateLimitFields fields = RateLimitFields.of(address, stored);
        Permit ofStore = permit(new Quota(1000, 7, 1));
        ParsedFields.of(fields, ann, ofStore).assertLeft(Map.of("per-address", 4L, "stored", 7L));

        ParsedFields unknown = ParsedFields.of(fields, ann, permit(new Quota(5, 2, 1)));
        assertEquals(List.of("per-address"), List.copyOf(unknown.limits().keySet()), "of none of them");
        RateLimitFields twice = RateLimitFields.builder()
                .policy(Policy.rate("first", 1000, MINUTE))
                .policy(Policy.rate("second", 1000, MINUTE))
                .build();
        assertNull(ParsedFields.of(twice, ann, ofStore).texts().get("RateLimit"), "of the one or the other");
        assertNotNull(ParsedFields.of(twice, ann, ofStore).texts().get("RateLimit-Policy"));
    }
}
