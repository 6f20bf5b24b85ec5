package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.Readers;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.named.status.TimedEvent;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The revision of what is wanted for a name: what changes it, and overrides that are meant for one. The events that are kept. */
class RevisionTest extends RegistryFixture {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private static long revision(LimiterRegistry registry) {
        long seen = registry.limiter("a").status().revision();
        assertEquals(seen, registry.names().explain("a").status().revision());
        return seen;
    }

    private static Registration override(LimiterRegistry registry, int limit, long ifRevision) {
        return registry.override("a", "concurrency: " + limit, MINUTE, "ann", "incident 7", ifRevision);
    }

    @Test
    void itGrowsWithEachChangeOfWhatIsWanted() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 4 } }");
        List<Runnable> changes = new ArrayList<>();
        changes.add(() -> write("limits: { a: { concurrency: 5 } }"));
        changes.add(() -> registry.limiter("a", new Semaphore(3)));
        changes.add(() -> registry.override("a", "concurrency: 9", MINUTE, "ann", "first"));
        changes.add(() -> write("limits: { a: { concurrency: 6 } }"));
        changes.add(() -> registry.override("a", "concurrency: 8", MINUTE, "ann", "second"));
        changes.add(() -> time.advance(MINUTE));
        changes.add(() -> write("{ limits: {}, removed: [a] }"));
        changes.add(registry::close);
        long last = revision(registry);
        for (int i = 0; i < changes.size(); i++) {
            changes.get(i).run();
            long next = revision(registry);
            assertTrue(next > last, "change " + i + ": " + last + " -> " + next);
            last = next;
        }
    }

    @Test
    void whatLeavesTheSettingsAsTheyAreLeavesIt() {
        LimiterRegistry registry = registry("document: { version: 1 }\nlimits: { a: { concurrency: 4 } }");
        long before = revision(registry);
        write("document: { version: 2 }\nlimits: { a: { concurrency: 4 } }");
        write("document: { version: 3 }\nlimits: { a: { concurrency: 4 }, b: { concurrency: 2 } }");
        write("document: { version: 1 }\nlimits: { a: { concurrency: 5 } }");
        Registration unused = registry.override("b", "concurrency: 9", MINUTE, "ann", "another name");
        assertThrows(IllegalArgumentException.class, () -> override(registry, 0, before));
        ManagedLimiter limiter = Objects.requireNonNull(
                        registry.names().table().entry("a").local())
                .limiter();
        limiter.dial().setLimit(7, "the controller's");
        assertEquals(before, revision(registry));
        assertEquals(7, granted(registry.limiter("a")));
    }

    @Test
    void anOverrideForAnotherRevisionChangesNothing() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 4 } }");
        long seen = revision(registry);
        Registration first = override(registry, 5, seen);
        assertEquals(5, granted(registry.limiter("a")));

        int told = events.size();
        int changes = registry.names().explain("a").changes().size();
        RevisionChangedException refused =
                assertThrows(RevisionChangedException.class, () -> override(registry, 6, seen));
        assertEquals(revision(registry), refused.revision());
        assertTrue(
                Objects.requireNonNull(refused.getMessage())
                        .startsWith("the settings of a must have the revision " + seen),
                refused.getMessage());
        assertEquals(5, granted(registry.limiter("a")));
        assertEquals(told, events.size());
        assertEquals(changes, registry.names().explain("a").changes().size());

        write("limits: { a: { concurrency: 2 } }");
        assertThrows(RevisionChangedException.class, () -> override(registry, 6, refused.revision()));
        override(registry, 6, revision(registry));
        assertEquals(6, granted(registry.limiter("a")));
        first.close();
        assertEquals(6, granted(registry.limiter("a")), "the end of what was replaced ends nothing");
    }

    @Test
    void ofThoseWhoSawTheSameSettingsOneChangesThem() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 4 } }");
        int people = 4;
        for (int round = 0; round < 50; round++) {
            long seen = revision(registry);
            CyclicBarrier start = new CyclicBarrier(people);
            List<CompletableFuture<Boolean>> tries = IntStream.range(0, people)
                    .mapToObj(person -> CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    start.await();
                                    override(registry, 10 + person, seen);
                                    return true;
                                } catch (RevisionChangedException tooLate) {
                                    return false;
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            work -> new Thread(work).start()))
                    .toList();
            List<Boolean> done = new ArrayList<>();
            for (CompletableFuture<Boolean> each : tries) {
                done.add(each.get());
            }
            assertEquals(1, done.stream().filter(won -> won).count(), done::toString);
            assertEquals(10 + done.indexOf(true), granted(registry.limiter("a")));
        }
    }

    /** Creates strategies as long as it is asked to. */
    private record Fragile(long size, AtomicInteger creationsLeft) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            if (creationsLeft.getAndDecrement() <= 0) {
                throw new AssertionError("no more");
            }
            return new Semaphore(size).create(ticker);
        }
    }

    /* Settings that fail are taken back, which is a change, too: who sees the revision then can go on from it. */
    @Test
    void afterSettingsThatCannotBePutInForceItIsThatOfTheLastChange() {
        AtomicInteger creations = new AtomicInteger(1000);
        LimiterRegistry registry = registry("limits: {}");
        registry.limiter("a", new Fragile(2, creations));
        long seen = revision(registry);
        Registration hand = override(registry, 5, seen);
        creations.set(0);
        hand.close();
        assertInstanceOf(ConfigEvent.Refused.class, last(), "what is below it cannot return");
        assertTrue(revision(registry) > seen + 1, "it has ended all the same");
        override(registry, 7, revision(registry));
        assertEquals(7, granted(registry.limiter("a")));

        LimiterRegistry other =
                registry(Readers.with(new ForeignFactories.Algorithm("mine", size -> new Fragile(size, creations))));
        write("limits: { a: { concurrency: 4 } }");
        creations.set(1);
        long before = revision(other);
        assertThrows(
                IllegalArgumentException.class,
                () -> other.override("a", "{ algorithm: mine, size: 9 }", MINUTE, "ann", "test", before));
        assertThrows(RevisionChangedException.class, () -> override(other, 8, before));
        override(other, 8, revision(other));
        assertEquals(8, granted(other.limiter("a")));
    }

    @Test
    void aRevisionOfAnEarlierProcessFitsNoneOfALaterOne() {
        Instant[] now = {NOON};
        source.write("limits: { a: { concurrency: 4 } }");
        LimiterRegistry earlier = builder().clock(() -> now[0]).build();
        for (int i = 0; i < 20; i++) {
            override(earlier, 5 + i, revision(earlier)).close();
        }
        long seen = revision(earlier);
        now[0] = NOON.plusMillis(1);
        LimiterRegistry later = builder().clock(() -> now[0]).build();
        assertTrue(revision(later) > seen);
        assertThrows(RevisionChangedException.class, () -> override(later, 5, seen));
        assertTrue(revision(later) < 1L << 53, "a number of JSON is exact");
    }

    @Test
    void theLastEventsAreKeptWithTheirTime() {
        Instant[] now = {NOON};
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry =
                builder().clock(() -> now[0]).onEvent(events::add).build();
        assertEquals(1, registry.names().events().size());
        for (int limit = 2; limit <= 250; limit++) {
            now[0] = NOON.plusSeconds(limit);
            write("limits: { a: { concurrency: " + limit + " } }");
        }
        List<TimedEvent> kept = registry.names().events();
        assertEquals(200, kept.size());
        assertEquals(NOON.plusSeconds(51), kept.get(0).at());
        assertEquals(NOON.plusSeconds(250), kept.get(199).at());
        assertEquals(
                events.subList(events.size() - 200, events.size()),
                kept.stream().map(TimedEvent::event).toList());
        assertEquals(kept, registry.names().events());

        source.goAway();
        time.advance(MINUTE);
        assertInstanceOf(
                ConfigEvent.SourceLost.class, registry.names().events().get(199).event());
        Registration unused = registry.override("a", "concurrency: 5", MINUTE, "ann", "test");
        assertInstanceOf(
                ConfigEvent.Overridden.class, registry.names().events().get(199).event());
        assertNotEquals(kept, registry.names().events());
        assertEquals(200, kept.size(), "a list that was read stays as it is");
    }

    @Test
    void documentsWithManyChangesAreNotAllKept() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        for (int round = 0; round < 4; round++) {
            int limit = 2 + round;
            write(IntStream.range(0, 6_000)
                    .mapToObj(each -> "n" + each + ": { concurrency: " + limit + " }")
                    .collect(Collectors.joining(", ", "limits: { ", " }")));
        }
        List<TimedEvent> kept = registry.names().events();
        Changed last = assertInstanceOf(
                Changed.class,
                kept.stream()
                        .map(TimedEvent::event)
                        .filter(Changed.class::isInstance)
                        .reduce((one, next) -> next)
                        .orElseThrow());
        assertEquals(6_000, last.differences().size());
        assertEquals(
                1,
                kept.stream()
                        .map(TimedEvent::event)
                        .filter(event -> event instanceof Changed many
                                && many.differences().size() > 100)
                        .count());
        assertNull(registry.limiter("n5").status().override());
    }
}
