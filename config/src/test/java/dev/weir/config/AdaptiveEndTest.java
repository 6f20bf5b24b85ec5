package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.LearnedCost;
import dev.weir.adaptive.RestoredState;
import dev.weir.adaptive.SavedState;
import dev.weir.adaptive.Signal;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.Readers;
import dev.weir.named.NamedLimiter;
import dev.weir.named.backend.LocalLimit;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit in force when {@code adaptive} ends, or moves to another part of a limit: that of the text. */
class AdaptiveEndTest extends RegistryFixture {
    private static final String FIRST = "concurrency: 2, adaptive: { min: 3, max: 6 }";

    private static String document(String fields) {
        return "limits: { a: { " + fields + " } }";
    }

    /** Permits that are granted one after the other to requests of one user, all held at once, and released. */
    private static int grantedToOne(NamedLimiter limiter) {
        List<Permit> permits = new ArrayList<>();
        Request request = limiter.request(dimension -> "ann");
        for (Decision decision = limiter.tryAcquire(request);
                decision instanceof Permit permit && permits.size() < 100;
                decision = limiter.tryAcquire(request)) {
            permits.add(permit);
        }
        permits.forEach(permit -> permit.release(Outcome.IGNORED));
        return permits.size();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            concurrency: 2, adaptive: { min: 3, max: 6 } | concurrency: 2 | 2
            concurrency: 2, adaptive: { min: 3, max: 6 } | concurrency: 2, queue: 3 | 2
            concurrency: 2, adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 2 }, { rate: 100/s } ] | 2
            concurrency: 2, adaptive: { min: 3, max: 6 } | all-of: [ { rate: 100/s }, { concurrency: 2 } ] | 2
            concurrency: 2, adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 5 }, { concurrency: 2 } ] | 2
            concurrency: 9, adaptive: { min: 1, max: 4 } | all-of: [ { rate: 100/s }, { concurrency: 9 } ] | 9
            concurrency: 2, adaptive: { min: 3, max: 6 } | all-of: [ { rate: 100/s }, { concurrency: 2 } ], adaptive: { min: 3, max: 6 } | 2
            concurrency: 2, adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 5 }, { concurrency: 2 } ], adaptive: { min: 3, max: 6 } | 2
            concurrency: 2, algorithm: counter, adaptive: { min: 3, max: 6 } | all-of: [ { rate: 100/s }, { concurrency: 2, algorithm: counter } ] | 2
            rate: 2/h, adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 100 }, { rate: 2/h } ] | 2
            rate: 2/h, algorithm: sliding-log, adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 100 }, { rate: 2/h, algorithm: sliding-log } ] | 2
            concurrency: 2, key: user, adaptive: { min: 3, max: 6 } | concurrency: 2, key: user | 2
            concurrency: 2, key: user, adaptive: { min: 3, max: 6 } | all-of: [ { rate: 100/s }, { concurrency: 2, key: user } ] | 2
            concurrency: 2, key: user, adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 2, key: user }, { rate: 100/s, key: user } ] | 2
            concurrency: 2, key: user, adaptive: { min: 3, max: 6 } | all-of: [ { rate: 100/s, key: user }, { concurrency: 2, key: user } ] | 2
            all-of: [ { concurrency: 2 }, { rate: 100/s } ], adaptive: { min: 3, max: 6 } | all-of: [ { rate: 100/s }, { concurrency: 2 } ] | 2
            all-of: [ { concurrency: 2 }, { rate: 100/s } ], adaptive: { min: 3, max: 6 } | concurrency: 2 | 2
            all-of: [ { concurrency: 2 }, { rate: 100/s } ], adaptive: { min: 3, max: 6 } | all-of: [ { concurrency: 50 }, { concurrency: 2 } ] | 2
            """)
    void isThatOfTheText(String before, String after, int limit) {
        NamedLimiter limiter = registry(document(before)).limiter("a");
        assertEquals(limit == 9 ? 4 : 3, limiter.snapshot().limit());
        grantedToOne(limiter);
        time.advance(Duration.ofHours(2));
        write(document(after));
        assertEquals(limit, grantedToOne(limiter), () -> limiter.snapshot().toString());
        write(document(after) + "\nvalues: { equal: again }");
        time.advance(Duration.ofHours(2));
        assertEquals(limit, grantedToOne(limiter), () -> limiter.snapshot().toString());
    }

    @Test
    void aRateRefillsAsTheTextSays() {
        NamedLimiter limiter =
                registry(document("rate: 2/h, adaptive: { min: 60, max: 60 }")).limiter("a");
        assertEquals(60, limiter.snapshot().limit());
        write(document("all-of: [ { concurrency: 100 }, { rate: 2/h } ]"));
        assertEquals(2, granted(limiter));
        time.advance(Duration.ofMinutes(30));
        assertEquals(1, granted(limiter));
    }

    /** A limit that cannot be adjusted in place, or that rises, has a dial all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"algorithm: mine, size: 2", "concurrency: 2, warm-up: 1s"})
    void isThatOfTheTextAlsoOfALimitThatCannotBeAdjusted(String limit) {
        source.write(document(limit + ", adaptive: { min: 3, max: 6 }"));
        AtomicInteger left = new AtomicInteger(1000);
        NamedLimiter limiter = registry(
                        Readers.with(new ForeignFactories.Algorithm("mine", size -> new Fragile(size, left))))
                .limiter("a");
        time.advance(Duration.ofSeconds(2));
        assertEquals(3, granted(limiter));
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        write(document("all-of: [ { rate: 100/s }, { " + limit + " } ]"));
        assertEquals(List.of(), changed().problems());
        assertEquals(1, granted(limiter), () -> limiter.snapshot().toString());
        held.release(Outcome.IGNORED);
        assertEquals(2, granted(limiter));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            concurrency: 2, key: true
            rate: 10/s
            all-of: [ { rate: 100/s }, { concurrency: 2 } ]
            all-of: [ { concurrency: 2 }, { rate: 100/s } ]
            algorithm: closed
            """)
    void isThatOfTheTextAfterAnotherDocumentInBetweenAndAPermitInFlight(String between) {
        NamedLimiter limiter = registry(document(FIRST)).limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        write(document(between));
        write(document(between) + "\nvalues: { equal: again }");
        write(document("concurrency: 2"));
        assertEquals(1, granted(limiter), () -> limiter.snapshot().toString());
        write(document("concurrency: 2") + "\nvalues: { equal: once more }");
        held.release(Outcome.IGNORED);
        assertEquals(2, granted(limiter), () -> limiter.snapshot().toString());
        assertNull(limiter.status().control());
    }

    /** An override ends the control for a time: the text of the override is in force, then the control begins from the document. */
    @Test
    void isThatOfAnOverrideUntilItEnds() {
        LimiterRegistry registry = registry(document(FIRST));
        NamedLimiter limiter = registry.limiter("a");
        Registration hand = registry.override(
                "a",
                "{ all-of: [ { rate: 100/s }, { concurrency: 2 } ], adaptive: null }",
                Duration.ofHours(1),
                "ann",
                "a test");
        assertEquals(2, granted(limiter));
        hand.close();
        assertEquals(3, granted(limiter));
        assertNotNull(limiter.status().control());
        hand = registry.override("a", "adaptive: null", Duration.ofHours(1), "ann", "a test");
        assertEquals(2, granted(limiter));
        hand.close();
        assertEquals(3, granted(limiter));
    }

    @Test
    void nothingTellsThatAControlHasSetIt() {
        NamedLimiter limiter = registry(document(FIRST)).limiter("a");
        assertNotNull(limiter.snapshot().limitSetBy());
        write(document("all-of: [ { rate: 100/s }, { concurrency: 2 } ]"));
        assertNull(limiter.snapshot().limitSetBy());
        assertEquals(2, limiter.snapshot().details().get("1.limit"));
    }

    /** A control that comes back begins with what was saved, as each control does, and not with what the one before had set. */
    @Test
    void aControlThatComesBackBeginsWithWhatWasSaved() {
        List<AdaptiveControl> saved = new ArrayList<>();
        source.write(document(FIRST));
        NamedLimiter limiter = builder()
                .restoring(new SavedState() {
                    @Override
                    public Optional<RestoredState> restored(String name) {
                        return Optional.of(new RestoredState(name, 5, Map.of(), 0, Duration.ZERO, 1));
                    }

                    @Override
                    public void include(AdaptiveControl control) {
                        saved.add(control);
                    }

                    @Override
                    public void include(LearnedCost costs) {}
                })
                .build()
                .limiter("a");
        assertEquals(5, granted(limiter));
        write(document("all-of: [ { rate: 100/s }, { concurrency: 2 } ]"));
        assertEquals(2, granted(limiter));
        write(document(FIRST));
        assertEquals(5, granted(limiter));
        assertEquals(2, saved.size());
    }

    /** What an application has set by a dial is no control's. */
    @Test
    void aLimitThatADialHasSetStays() {
        LimiterRegistry registry = registry(document("concurrency: 2"));
        limiter(registry, "a").limiter().dial().setLimit(7);
        write(document("all-of: [ { rate: 100/s }, { concurrency: 2 } ]"));
        assertEquals(7, granted(registry.limiter("a")));
    }

    /** A change that fails late leaves the limit to the control that has set it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aChangeThatFailsKeepsTheLimitOfTheControl(int creations) {
        AtomicInteger left = new AtomicInteger(1000);
        source.write(document("concurrency: 9, adaptive: { min: 1, max: 4 }"));
        LimiterRegistry registry =
                registry(Readers.with(new ForeignFactories.Algorithm("mine", size -> new Fragile(size, left))));
        NamedLimiter limiter = registry.limiter("a");
        write(document("concurrency: 9, adaptive: { min: 1, max: 6 }"));
        AdaptiveControl control = limiter(registry, "a").control();
        String by = limiter.snapshot().limitSetBy();
        assertEquals(4, granted(limiter));
        left.set(creations);
        write(document("all-of: [ { algorithm: mine, size: 100 }, { concurrency: 9 } ]"));
        assertEquals("a", changed().problems().get(0).limiter());
        assertEquals(4, granted(limiter));
        assertEquals(by, limiter.snapshot().limitSetBy());
        assertSame(control, limiter(registry, "a").control());
        left.set(1000);
        write(document("all-of: [ { algorithm: mine, size: 100 }, { concurrency: 9 } ]") + "\nvalues: { again: 1 }");
        assertEquals(9, granted(limiter));
    }

    /** As above, where the limiter has changed when the control cannot be created: it begins where the one before was. */
    @Test
    void aControlThatCannotBeCreatedLeavesTheLimitToTheOneBefore() {
        AtomicInteger calls = new AtomicInteger();
        source.write(document("concurrency: 9, adaptive: { min: 1, max: 4 }"));
        LimiterRegistry registry = registry(Readers.with(new ForeignFactories.Sensor("mine", () -> {
            if (calls.getAndIncrement() > 0) {
                throw new LinkageError("no such sensor");
            }
            return new Still();
        })));
        NamedLimiter limiter = registry.limiter("a");
        write(document("concurrency: 9, adaptive: { min: 1, max: 6 }"));
        assertEquals(4, granted(limiter));
        write(document(
                "all-of: [ { rate: 100/s }, { concurrency: 9 } ], adaptive: { min: 50, max: 60, signals: mine }"));
        assertEquals("a", changed().problems().get(0).limiter());
        assertEquals(4, granted(limiter));
        assertEquals(6, limiter.status().control().bounds().max());
    }

    private static LocalLimit limiter(LimiterRegistry registry, String name) {
        return Objects.requireNonNull(registry.names().table().entry(name).local());
    }

    /** A concurrency limit that is created so often at most. */
    private record Fragile(long size, AtomicInteger left) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            if (left.getAndDecrement() <= 0) {
                throw new AssertionError("no more");
            }
            return new Semaphore(size).create(ticker);
        }
    }

    private record Still() implements Signal {
        @Override
        public String name() {
            return "mine";
        }

        @Override
        public double read() {
            return 0;
        }
    }
}
