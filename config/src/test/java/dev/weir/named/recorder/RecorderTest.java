package dev.weir.named.recorder;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Counts;
import dev.weir.engine.LimiterView;
import dev.weir.named.NamedLimiter;
import dev.weir.named.Names;
import dev.weir.named.recorder.Histogram.Bucket;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class RecorderTest extends RecorderFixture {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final NamedLimiter a = limits.limiter("a", new Semaphore(1_000));

    private int[] arrivals(int many) {
        return Arrays.copyOf(recorder.load("a").arrivals(), many);
    }

    private RecordedSecond last(String name) {
        List<RecordedSecond> seconds = recorder.seconds(name);
        return seconds.get(seconds.size() - 1);
    }

    @Test
    void requestsAreInTheSliceInWhichTheyCame() {
        recorder.record();
        ask(a, 2);
        time.advance(Duration.ofNanos(9_999_999));
        recorder.tick();
        ask(a, 1);
        time.advance(Duration.ofNanos(1));
        recorder.tick();
        ticks(1);
        ask(a, 5);
        a.tryAcquire(5_000);
        ticks(98);
        assertArrayEquals(new int[] {3, 0, 6, 0, 0}, arrivals(5));
        RecordedLoad load = recorder.load("a");
        assertEquals(100, load.arrivals().length);
        assertEquals(9, load.requests());
        assertArrayEquals(new long[] {8}, load.admitted());
        assertEquals(1, load.refusedThen());
        assertEquals(BEGIN, load.from());
        assertEquals(10_000_000, load.sliceNanos());
        assertArrayEquals(new long[] {1_000}, load.limits());
        assertEquals(List.of(), load.keys());
    }

    @Test
    void whatCameBeforeALateTickIsSpreadEvenly() {
        recorder.record();
        ask(a, 7);
        time.advance(SLICE.multipliedBy(3));
        recorder.tick();
        ticks(97);
        assertArrayEquals(new int[] {2, 2, 3, 0}, arrivals(4));
    }

    @Test
    void aPauseOfSecondsIsSpreadOverThem() {
        recorder.record();
        ask(a, 30);
        time.advance(SECOND.multipliedBy(3));
        recorder.tick();
        List<RecordedSecond> seconds = recorder.seconds("a");
        assertEquals(
                List.of(10L, 10L, 10L),
                seconds.stream().map(RecordedSecond::admitted).toList());
        assertEquals(
                List.of(BEGIN.plusSeconds(1), BEGIN.plusSeconds(2), BEGIN.plusSeconds(3)),
                seconds.stream().map(RecordedSecond::at).toList());
        assertEquals(30, recorder.load("a").requests());
    }

    @Test
    void aRequestThatWaitsHasComeOnceAndWhenItCame() {
        set("a", "{ concurrency: 1, queue: { capacity: 2, max-wait: 60s } }");
        recorder.record();
        Permit held = assertInstanceOf(Permit.class, a.tryAcquire());
        ticks(1);
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(a.acquireAsync(Request.ONE));
        }
        ticks(2);
        held.close();
        ticks(97);
        assertArrayEquals(new int[] {1, 3, 0, 0, 0}, arrivals(5));
        RecordedSecond second = last("a");
        assertEquals(2, second.admitted());
        assertEquals(Map.of(Reason.QUEUE_FULL, 1L), second.refused());
        assertEquals(1, second.refusedInAll());
        assertEquals(1, second.waiting());
        assertEquals(990_000_000, second.oldestWaitNanos());
        assertEquals(1, second.inFlight());
        assertEquals(new Histogram(List.of(new Bucket(Histogram.bucketOf(20_000_000), 1))), second.waits());
        waiting.forEach(each -> each.cancel(true));
        ticks(100);
        assertEquals(4, recorder.load("a").requests());
        assertEquals(0, last("a").waiting());
        assertEquals(Map.of(Reason.CANCELLED, 1L), last("a").refused());
    }

    @Test
    void whoWaitedBeforeTheRecordingHasNotCome() {
        set("a", "{ concurrency: 1, queue: { capacity: 9, max-wait: 60s } }");
        a.tryAcquire();
        CompletableFuture<?> waiting = a.acquireAsync(Request.ONE);
        recorder.record();
        ticks(100);
        assertEquals(0, recorder.load("a").requests());
        assertEquals(1, last("a").waiting());
        waiting.cancel(true);
        ticks(100);
        assertEquals(0, recorder.load("a").requests());
    }

    @Test
    void holdTimesAreASampleWithTheSliceOfTheGrant() {
        recorder.record();
        ticks(5);
        for (int i = 0; i < 64; i++) {
            for (int j = 0; j < 20; j++) {
                Permit permit = assertInstanceOf(Permit.class, a.tryAcquire());
                time.advance(Duration.ofNanos(1_500));
                permit.close();
            }
            recorder.tick();
        }
        ticks(1);
        Permit early = everyPermitIsTimedSoonerOrLater();
        ticks(100);
        early.close();
        ticks(200);
        RecordedLoad load = recorder.load("a");
        int sampled = load.holdNanos().length;
        assertTrue(sampled >= 8, () -> sampled + " times");
        for (int i = 0; i < sampled; i++) {
            assertTrue(i == 0 || load.holdSlices()[i] >= load.holdSlices()[i - 1]);
            assertTrue(load.holdNanos()[i] == 1_500 || load.holdNanos()[i] >= SECOND.toNanos());
        }
        assertEquals(SECOND.toNanos(), Arrays.stream(load.holdNanos()).max().orElse(0), 50_000_000);
        long timed = recorder.seconds("a").stream()
                .mapToLong(second -> second.held().count())
                .sum();
        assertTrue(timed > 30 && timed < 160, () -> timed + " of 1280 timed");
        assertEquals(
                List.of(Histogram.bucketOf(1_500)),
                recorder.seconds("a").get(0).held().buckets().stream()
                        .map(Bucket::index)
                        .toList());
    }

    /* The others are held too, and released with it. */
    private Permit everyPermitIsTimedSoonerOrLater() {
        List<Permit> all = IntStream.range(0, 400)
                .mapToObj(i -> assertInstanceOf(Permit.class, a.tryAcquire()))
                .toList();
        return new Permit() {
            @Override
            public boolean release(Outcome outcome) {
                all.forEach(Permit::close);
                return true;
            }
        };
    }

    @Test
    void ofEachLimit128TimesAreTakenIn40Milliseconds() {
        recorder.record();
        for (int i = 0; i < 10_000; i++) {
            a.run(() -> {});
        }
        ticks(100);
        assertEquals(128, last("a").held().count());
        assertEquals(8, recorder.load("a").holdNanos().length, "and 8 of a second are kept");
    }

    @Test
    void figuresOfASecondAreThoseOfTheLimiter() {
        limits.limiter("rate", TokenBucket.of(3, SECOND));
        recorder.record();
        ask(limits.limiter("rate"), 5);
        limits.limiter("a").tryAcquire();
        set("a", "{ concurrency: 7 }");
        ticks(100);
        assertEquals(3, last("rate").admitted());
        assertEquals(Map.of(Reason.RATE, 2L), last("rate").refused());
        assertEquals(7, last("a").limit());
        assertEquals(1, last("a").inFlight());
    }

    @Test
    void requestsThatAreLetThroughArePassed() {
        set("a", "{ concurrency: 1, enforce: 0 }");
        recorder.record();
        ask(a, 3);
        ticks(100);
        assertEquals(3, last("a").admitted());
        assertEquals(2, last("a").passed());
        assertEquals(3, recorder.load("a").requests());
    }

    @Test
    void fiveMinutesAreKept() {
        recorder.record();
        for (int second = 0; second < 310; second++) {
            ask(a, 1);
            time.advance(SECOND);
            recorder.tick();
        }
        List<RecordedSecond> seconds = recorder.seconds("a");
        assertEquals(300, seconds.size());
        assertEquals(BEGIN.plusSeconds(11), seconds.get(0).at());
        assertEquals(BEGIN.plusSeconds(310), seconds.get(299).at());
        assertEquals(30_000, recorder.load("a").arrivals().length);
        assertEquals(300, recorder.load("a").requests());
        assertEquals(BEGIN.plusSeconds(10), recorder.load("a").from());
    }

    @Test
    void afterAPauseThatIsLongerThanWhatIsKeptTheRecordingBeginsFromNothing() {
        limits.limiter("rate", TokenBucket.of(3, SECOND));
        recorder.record();
        ask(a, 20);
        ticks(150);
        ask(a, 534);
        ask(limits.limiter("rate"), 9);
        ticks(1);
        ask(a, 100);
        time.advance(Duration.ofMinutes(5));
        time.advance(SLICE);
        recorder.tick();
        assertEquals(List.of(), recorder.seconds("a"));
        assertThrows(IllegalStateException.class, () -> recorder.load("a"));
        ask(a, 1);
        ticks(100);
        RecordedLoad load = recorder.load("a");
        assertEquals(1, load.requests());
        assertArrayEquals(new long[] {1}, load.admitted());
        assertEquals(0, recorder.load("rate").refusedThen());
        assertEquals(BEGIN.plusSeconds(301), load.from());
    }

    @Test
    void theFiguresOfAPauseAreSpreadAsItsRequestsAre() {
        recorder.record();
        ticks(50);
        ask(a, 534);
        a.tryAcquire(5_000);
        ticks(1);
        ask(a, 4 * 60);
        time.advance(Duration.ofMinutes(4));
        recorder.tick();
        for (int second = 0; second < 70; second++) {
            time.advance(SECOND);
            recorder.tick();
        }
        assertEquals(300, recorder.seconds("a").size());
        RecordedLoad load = recorder.load("a");
        assertEquals(load.requests(), LongStream.of(load.admitted()).sum() + load.refusedThen());
        assertTrue(load.requests() < 4 * 60, "the second of the 534 is gone");
        assertEquals(0, load.refusedThen());
    }

    @Test
    void nothingIsRecordedUntilSomebodyAsksAndNothingIsLeftAfterTheLast() {
        Counts counts = peeked();
        ask(a, 1);
        assertEquals(0, counts.admitted());
        assertEquals(List.of(), recorder.seconds("a"));
        assertThrows(IllegalStateException.class, () -> recorder.load("a"));
        Registration first = recorder.record();
        Registration second = recorder.record();
        first.close();
        first.close();
        ask(a, 2);
        assertEquals(2, counts.admitted());
        ticks(100);
        assertEquals(2, last("a").admitted());
        second.close();
        assertEquals(List.of(), recorder.seconds("a"));
        ask(a, 4);
        assertEquals(2, counts.admitted(), "nothing counts");
        recorder.record();
        ask(a, 1);
        ticks(100);
        assertEquals(1, recorder.load("a").requests());
    }

    private Counts peeked() {
        List<Counts> counts = new ArrayList<>();
        limits.names()
                .observe(new RegistryObserver() {
                    @Override
                    public Registration onLimiter(LimiterView limiter) {
                        LimiterView.Counting counting = limiter.count();
                        counts.add(counting.counts());
                        return counting;
                    }
                })
                .close();
        return counts.get(0);
    }

    @Test
    void aLimitThatComesLaterIsRecordedFromThenOn() {
        recorder.record();
        ticks(150);
        NamedLimiter late = limits.limiter("late", new Semaphore(9));
        ask(late, 2);
        ticks(150);
        RecordedLoad load = recorder.load("late");
        assertEquals(BEGIN.plusSeconds(1), load.from());
        assertEquals(2, load.requests());
        assertEquals(2, load.arrivals()[50]);
        assertEquals(3, recorder.seconds("a").size());
        assertEquals(2, recorder.seconds("late").size());
        assertEquals(List.of(), recorder.seconds("unknown"));
    }

    @Test
    void S15_aClockOrAStrategyThatThrowsEndsNothing() {
        boolean[] failing = {false};
        Names names = Names.builder()
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .clock(() -> {
                    if (failing[0]) {
                        throw new IllegalStateException("no clock");
                    }
                    return BEGIN;
                })
                .build();
        NamedLimiter limiter = names.limiter("a", new Semaphore(1));
        Recorder other = Recorder.of(names.table(), work -> new Thread(() -> {}));
        failing[0] = true;
        assertThrows(IllegalStateException.class, other::record);
        failing[0] = false;
        other.record();
        limiter.tryAcquire();
        time.advance(SECOND);
        other.tick();
        assertEquals(1, other.load("a").requests());
    }

    @Test
    void theTimeOfDayFollowsAClockThatIsSet() {
        long[] set = {0};
        Names names = Names.builder()
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .clock(() -> BEGIN.plusSeconds(set[0]).plusNanos(time.read()))
                .build();
        names.limiter("a", new Semaphore(1));
        Recorder other = Recorder.of(names.table(), work -> new Thread(() -> {}));
        other.record();
        set[0] = 3_600;
        time.advance(SECOND);
        other.tick();
        assertEquals(BEGIN.plusSeconds(3_601), other.seconds("a").get(0).at());
    }

    @Test
    void oneThreadRecordsUntilTheLastRegistrationOrTheNamesAreClosed() {
        Names names = Names.builder().build();
        NamedLimiter limiter = names.limiter("a", new Semaphore(1));
        assertSame(names.recorder(), names.recorder());
        Registration first = names.recorder().record();
        Registration second = names.recorder().record();
        await().until(() -> threads() == 1);
        limiter.run(() -> {});
        await().until(() -> !names.recorder().seconds("a").isEmpty());
        assertEquals(1, names.recorder().load("a").requests());
        first.close();
        assertEquals(1, threads());
        second.close();
        await().until(() -> threads() == 0);
        Registration last = names.recorder().record();
        await().until(() -> threads() == 1);
        await().until(() -> !names.recorder().seconds("a").isEmpty());
        names.close();
        await().until(() -> threads() == 0);
        assertEquals(List.of(), names.recorder().seconds("a"));
        last.close();
        names.recorder().record();
        await().until(() -> threads() == 0);
        assertEquals(List.of(), names.recorder().seconds("a"));
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-recorder") && thread.isDaemon())
                .count();
    }

    /** Against a model that writes down each request with its slice. */
    @Test
    void overAnyHistoryEachRequestIsInItsSliceAndTheSecondsAddUp() {
        Seed.forAll(60, random -> {
            RecorderFixture fresh = new RecorderFixture();
            NamedLimiter limiter = fresh.limits.limiter("a", new Semaphore(3));
            fresh.set("a", "{ concurrency: 3, queue: { capacity: 4, max-wait: 1s } }");
            fresh.recorder.record();
            int[] came = new int[500];
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            for (int slice = 0; slice < 500; slice++) {
                for (int i = random.nextInt(4); i > 0; i--) {
                    switch (random.nextInt(5)) {
                        case 0, 1 -> {
                            came[slice]++;
                            asked.add(limiter.acquireAsync(Request.ONE));
                        }
                        case 2 -> {
                            came[slice]++;
                            if (limiter.tryAcquire(random.nextInt(1, 5)) instanceof Permit permit) {
                                permit.close();
                            }
                        }
                        default -> releaseOne(asked, random);
                    }
                }
                fresh.ticks(1);
            }
            RecordedLoad load = fresh.recorder.load("a");
            assertArrayEquals(came, load.arrivals());
            List<RecordedSecond> seconds = fresh.recorder.seconds("a");
            RecordedSecond end = seconds.get(seconds.size() - 1);
            long admitted = LongStream.of(load.admitted()).sum();
            assertEquals(load.requests(), admitted + load.refusedThen() + end.waiting());
            assertEquals(limiter.snapshot().inFlight(), end.inFlight());
        });
    }

    private static void releaseOne(List<CompletableFuture<Decision>> asked, SplittableRandom random) {
        List<CompletableFuture<Decision>> held = asked.stream()
                .filter(each -> each.getNow(null) instanceof Permit)
                .toList();
        if (!held.isEmpty()) {
            CompletableFuture<Decision> released = held.get(random.nextInt(held.size()));
            asked.remove(released);
            ((Permit) released.join()).close();
        }
    }
}
