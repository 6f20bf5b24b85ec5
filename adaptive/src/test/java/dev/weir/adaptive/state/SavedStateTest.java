package dev.weir.adaptive.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.Controller;
import dev.weir.adaptive.RestoredState;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.state.SavedStateReport.Event;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedStateTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    Path dir;

    private Path file = Path.of("set before each");
    private final VirtualTime time = new VirtualTime();
    private final Calendar calendar = new Calendar();
    private final List<SavedStateReport> reports = new ArrayList<>();

    private static final class Calendar extends Clock {
        private volatile Instant now = Instant.parse("2026-03-01T10:00:00Z");

        void pass(Duration time) {
            now = now.plus(time);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    /** Knows one number, or throws. */
    private static final class Knowing implements Controller {
        private double known;
        private double trust;

        Knowing(double known) {
            this.known = known;
        }

        @Override
        public long next(Window window, long limit) {
            return limit;
        }

        @Override
        public String why() {
            return "knowing";
        }

        @Override
        public Map<String, Double> learned() {
            if (Double.isNaN(known)) {
                throw new IllegalStateException();
            }
            return Map.of("a key = with\nall", known);
        }

        @Override
        public void restore(Map<String, Double> learned, double asFar) {
            if (Double.isNaN(known)) {
                throw new IllegalStateException();
            }
            known = learned.getOrDefault("a key = with\nall", -1.0);
            trust = asFar;
        }
    }

    @BeforeEach
    void inTheDirectory() {
        file = dir.resolve("state");
    }

    private SavedStateFile open() {
        return SavedStateFile.at(file)
                .clock(calendar)
                .halfLife(Duration.ofMinutes(10))
                .reportingTo(reports::add)
                .open();
    }

    private Event lastEvent() {
        return reports.get(reports.size() - 1).event();
    }

    private ManagedLimiter limiter(String name, StrategySpec spec) {
        return Limiters.builder(name, spec).ticker(time).build();
    }

    /** What a process with one control of this limit leaves behind. */
    private byte[] left(String name, long limit) throws Exception {
        SavedStateFile state = open();
        try (ManagedLimiter limiter = limiter(name, new Semaphore(limit));
                AdaptiveControl control = AdaptiveControl.builder(limiter, new Knowing(42.5))
                        .ticker(time)
                        .restoring(state)
                        .build()) {
            assertEquals(limit, control.snapshot().limit());
            assertTrue(state.save());
        }
        return Files.readAllBytes(file);
    }

    @Test
    void theNextProcessResumes() throws Exception {
        left("search", 320);
        calendar.pass(Duration.ofMinutes(10));
        SavedStateFile state = open();
        assertEquals(Event.RESTORED, lastEvent());
        Knowing knowing = new Knowing(0);
        ManagedLimiter limiter = limiter("search", new Semaphore(20));
        List<Long> limits = new ArrayList<>();
        try (AdaptiveControl control = AdaptiveControl.builder(limiter, knowing)
                .ticker(time)
                .restoring(state)
                .build()) {
            limits.add(control.snapshot().limit());
            assertEquals(42.5, knowing.known);
            assertEquals(0.5, knowing.trust, 1e-12);
        }
        assertEquals(List.of(80L), limits); // 20 * (320 / 20) ^ 0.5
    }

    @Test
    void theLimitIsResumedEvenIfTheControllerThrows() throws Exception {
        left("search", 320);
        ManagedLimiter limiter = limiter("search", new Semaphore(20));
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Knowing(Double.NaN))
                .ticker(time)
                .bounds(Bounds.of(1, 300))
                .restoring(open())
                .build();
        assertEquals(300, control.snapshot().limit());
        assertTrue(control.snapshot().failures() > 0);
    }

    @Test
    void theLastWindowIsSaved() {
        SavedStateFile state = open();
        ManagedLimiter limiter = limiter("search", new Semaphore(10));
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Knowing(1))
                .ticker(time)
                .restoring(state)
                .build();
        for (int milli = 0; milli < 1000; milli++) {
            if (limiter.tryAcquire() instanceof Permit permit) {
                time.alarm(5_000_000, () -> permit.release(Outcome.SUCCESS));
            }
            time.advance(Duration.ofMillis(1));
        }
        state.save();
        Map<String, Double> learned = open().restored("search").orElseThrow().learned();
        assertEquals(5_000_000, learned.getOrDefault("window.latencyNanos", 0.0));
        assertEquals(1000, learned.getOrDefault("window.throughput", 0.0), 20);
        assertEquals(5, learned.getOrDefault("window.maxInFlight", 0.0), 1);
        assertEquals(learned, control.learned());
    }

    @Test
    void theFileCanBeRead() throws Exception {
        calendar.now = Instant.ofEpochMilli(1_772_359_200_000L);
        String text = new String(left("search /a?b=c\n", 320), StandardCharsets.UTF_8);
        String[] lines = text.split("\n");
        assertEquals(3, lines.length, text);
        assertEquals("weir-saved-state 1", lines[0]);
        assertEquals(
                "limiter=search+%2Fa%3Fb%3Dc%0A at=1772359200000 limit=320 debtNanos=0"
                        + " learned.a+key+%3D+with%0Aall=42.5",
                lines[1]);
        assertTrue(lines[2].matches("crc32c=[0-9a-f]{8}"), lines[2]);
        assertEquals(
                42.5, open().restored("search /a?b=c\n").orElseThrow().learned().get("a key = with\nall"));
    }

    @Test
    void whatWasLearnedFadesWithTheTimeAway() {
        RestoredState now = new RestoredState("a", 320, Map.of(), 0, Duration.ZERO, 1);
        assertEquals(320, now.limitFrom(20));
        assertEquals(20, new RestoredState("a", 320, Map.of(), 0, SECOND, 0).limitFrom(20));
        assertEquals(80, new RestoredState("a", 320, Map.of(), 0, SECOND, 0.5).limitFrom(20));
        assertEquals(80, new RestoredState("a", 20, Map.of(), 0, SECOND, 0.5).limitFrom(320));
        assertEquals(1, new RestoredState("a", 1, Map.of(), 0, SECOND, 1).limitFrom(Long.MAX_VALUE));
    }

    @Test
    void aFileFromTheFutureWasAwayForNoTime() throws Exception {
        left("search", 320);
        calendar.pass(Duration.ofDays(-400));
        RestoredState restored = open().restored("search").orElseThrow();
        assertEquals(Duration.ZERO, restored.away());
        assertEquals(1, restored.trust());
    }

    @Test
    void theFirstStartHasNothing() {
        SavedStateFile state = open();
        assertEquals(Event.ABSENT, lastEvent());
        assertEquals(Optional.empty(), state.restored("search"));
    }

    @Test
    void aFileTruncatedAtAnyByteIsReportedAndIgnored() throws Exception {
        byte[] whole = left("search", 320);
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, java.util.Arrays.copyOf(whole, length));
            assertEquals(Optional.empty(), open().restored("search"));
            assertEquals(Event.DAMAGED, lastEvent(), "at " + length);
        }
    }

    @Test
    void aFileWithAnyByteAlteredIsReportedAndIgnored() throws Exception {
        byte[] whole = left("search", 320);
        for (int at = 0; at < whole.length; at++) {
            for (int flip = 1; flip < 256; flip++) {
                byte[] altered = whole.clone();
                altered[at] ^= (byte) flip;
                SavedStateText.Refused refused =
                        assertThrows(SavedStateText.Refused.class, () -> SavedStateText.read(altered), "at " + at);
                assertTrue(refused.event == Event.DAMAGED || refused.event == Event.OTHER_VERSION);
            }
            whole[at] ^= 0x20;
            Files.write(file, whole);
            whole[at] ^= 0x20;
            assertEquals(Optional.empty(), open().restored("search"));
        }
    }

    @Test
    void otherTroubleWithTheFileIsReportedAndIgnored() throws Exception {
        Files.writeString(file, "weir-saved-state 2\nwhatever\n");
        open();
        assertEquals(Event.OTHER_VERSION, lastEvent());
        file = dir;
        open();
        assertEquals(Event.UNREADABLE, lastEvent());
    }

    @Test
    void aListenerThatThrowsStopsNoStart() {
        SavedStateFile.at(file)
                .reportingTo(report -> {
                    throw new IllegalStateException();
                })
                .open();
    }

    @Test
    void aSaveThatFailsIsReportedAndLeavesTheFile() throws Exception {
        byte[] before = left("search", 320);
        Files.delete(dir.resolve("state.lock"));
        Files.createDirectory(dir.resolve("state.lock"));
        assertFalse(open().save());
        assertEquals(Event.UNSAVED, lastEvent());
        assertEquals(-1, java.util.Arrays.mismatch(before, Files.readAllBytes(file)));
    }

    @Test
    void whatIsNotTakenUpAgainIsCarriedOnUntilForgotten() throws Exception {
        left("search", 320);
        calendar.pass(Duration.ofMinutes(10));
        left("other", 10);
        assertEquals(0.5, open().restored("search").orElseThrow().trust(), 1e-12);
        calendar.pass(Duration.ofHours(6));
        left("other", 10);
        assertEquals(Optional.empty(), open().restored("search"));
    }

    @Test
    void anEndedLimiterStaysAsLastSaved() throws Exception {
        SavedStateFile state = open();
        ManagedLimiter limiter = limiter("search", new Semaphore(320));
        state.include(limiter);
        state.save();
        limiter.close();
        calendar.pass(SECOND);
        assertTrue(state.save());
        assertEquals(320, open().restored("search").orElseThrow().limit());
        assertEquals(SECOND, open().restored("search").orElseThrow().away());
    }

    @Test
    void whoCannotBeAskedLeavesTheOthersAlone() {
        SavedStateFile state = open();
        ManagedLimiter limiter = limiter("bad", new Semaphore(3));
        AdaptiveControl control = AdaptiveControl.builder(limiter, new Knowing(Double.NaN))
                .ticker(time)
                .restoring(state)
                .build();
        assertTrue(state.save());
        assertEquals(3, open().restored("bad").orElseThrow().limit());
        assertTrue(control.snapshot().failures() > 0);
    }

    private static long granted(ManagedLimiter limiter) {
        long granted = 0;
        while (limiter.tryAcquire() instanceof Permit) {
            granted++;
        }
        return granted;
    }

    /** The debt of each rate lasts as long as that of the slowest, in its own permits. */
    @Test
    void ofSeveralRatesEachOwesInItsOwnUnit() {
        StrategySpec tokens = Settled.of(TokenBucket.of(60_000, Duration.ofMinutes(1)));
        StrategySpec both = AllOf.of(tokens, TokenBucket.of(60, Duration.ofMinutes(1)));
        ManagedLimiter before = limiter("api", both);
        assertInstanceOf(Permit.class, before.tryAcquire(Request.ONE.settled(30_000)));
        SavedStateFile state = open();
        state.include(before);
        state.save();

        ManagedLimiter after =
                limiter("api", open().restored("api").orElseThrow().withDebt(both));
        assertInstanceOf(Rejection.class, after.tryAcquire(Request.ONE.settled(30_001)));
        assertInstanceOf(Permit.class, after.tryAcquire(Request.ONE.settled(29_000)));
        assertEquals(29, granted(after));
    }

    @Test
    void aRestoredBucketHasNoMoreThanIfItHadGoneOn() {
        StrategySpec spec = TokenBucket.of(100, Duration.ofSeconds(10)); // a token in 100 ms
        ManagedLimiter before = limiter("api", spec);
        assertEquals(100, granted(before));
        SavedStateFile state = open();
        state.include(before);
        state.save();

        calendar.pass(Duration.ofSeconds(3));
        RestoredState restored = open().restored("api").orElseThrow();
        assertEquals(Duration.ofSeconds(7).toNanos(), restored.debtNanos());
        ManagedLimiter after = limiter("api", restored.withDebt(spec));
        assertEquals(30, granted(after));
        after.reconfigure(spec); // a reload with the specification alone
        assertEquals(0, granted(after));
        time.advance(SECOND);
        assertEquals(10, granted(after));

        calendar.pass(Duration.ofSeconds(7));
        assertEquals(spec, open().restored("api").orElseThrow().withDebt(spec));
    }

    @Test
    void aDebtIsPermitsWhereTheLimitBeginsLower() {
        TokenBucket low = TokenBucket.of(10, Duration.ofSeconds(10)).withCapacity(100);
        RestoredState restored =
                new RestoredState("api", 100, Map.of(), Duration.ofSeconds(7).toNanos(), SECOND, 1);
        ManagedLimiter after = limiter("api", restored.withDebt(low)); // owes 70 permits
        after.dial().setLimit(100);
        assertEquals(30, granted(after));
        RestoredState slower =
                new RestoredState("api", 1, Map.of(), Duration.ofSeconds(7).toNanos(), SECOND, 1);
        assertEquals(99, granted(limiter("api", slower.withDebt(low)))); // 7 s at 1 in 10 s: 0.7 permits, rounded up
        RestoredState huge = new RestoredState("api", Long.MAX_VALUE, Map.of(), Long.MAX_VALUE, SECOND, 1);
        assertEquals(0, granted(limiter("api", huge.withDebt(low))));
    }

    @Test
    void anyRateTakesItsDebtUp() {
        StrategySpec spec = FixedWindow.of(5, Duration.ofSeconds(10));
        ManagedLimiter before = limiter("api", spec);
        assertEquals(5, granted(before));
        SavedStateFile state = open();
        state.include(before);
        state.save();
        calendar.pass(SECOND);
        assertEquals(
                0, granted(limiter("api", open().restored("api").orElseThrow().withDebt(spec))));
    }

    @Test
    void whoeverReadsDuringSavesReadsAWholeFile() throws Exception {
        SavedStateFile state = open();
        ManagedLimiter limiter = limiter("search", new Semaphore(1));
        state.include(limiter);
        assertTrue(state.save());
        List<Thread> savers = new ArrayList<>();
        List<Boolean> saved = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < 4; t++) {
            savers.add(new Thread(() -> {
                for (int i = 0; i < 25; i++) {
                    limiter.dial().setLimit(limiter.dial().limit() + 1000);
                    saved.add(state.save());
                }
            }));
        }
        savers.forEach(Thread::start);
        long last = 0;
        int reads = 0;
        while (savers.stream().anyMatch(Thread::isAlive) || reads < 100) {
            long limit = SavedStateText.read(Files.readAllBytes(file)).get(0).limit();
            assertTrue(limit >= 1);
            last = limit;
            reads++;
        }
        assertTrue(last > 1);
        assertEquals(100, saved.size());
        assertFalse(saved.contains(false));
        state.save();
        assertEquals(
                limiter.dial().limit(), open().restored("search").orElseThrow().limit());
    }

    /** A limit of 1 that, once asked what it owes, becomes 9 and has that saved before it answers. */
    private record Overtaking(Runnable overtake) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            Strategy inner = new Semaphore(1).create(ticker);
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    return inner.acquire(request);
                }

                @Override
                public long limit() {
                    return inner.limit();
                }

                @Override
                public void setLimit(long limit) {
                    inner.setLimit(limit);
                }

                @Override
                public @Nullable Account account() {
                    if (inner.limit() == 1) {
                        inner.setLimit(9);
                        overtake.run();
                    }
                    return null;
                }
            };
        }
    }

    @Test
    void aSaveThatWasOvertakenLeavesTheNewerFile() throws Exception {
        SavedStateFile state = open();
        state.include(limiter("search", new Overtaking(state::save)));
        assertTrue(state.save());
        assertEquals(9, open().restored("search").orElseThrow().limit());
    }

    @Test
    void savesByItself() {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        try {
            SavedStateFile state = open();
            state.include(limiter("search", new Semaphore(7)));
            state.every(Duration.ofMillis(10), scheduler);
            Awaitility.await().until(() -> Files.exists(file));
            assertEquals(7, open().restored("search").orElseThrow().limit());
        } finally {
            scheduler.shutdownNow();
            Awaitility.await().until(scheduler::isTerminated);
        }
    }
}
