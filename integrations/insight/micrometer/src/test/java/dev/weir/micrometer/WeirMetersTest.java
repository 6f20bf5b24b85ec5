package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.LimiterView.Counting;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeirMetersTest {
    private final VirtualTime time = new VirtualTime();
    private final MeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void decisionsAreCountedByOutcomeAndReason() {
        ManagedLimiter limiter = limiter("checkout", 2);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            for (int i = 0; i < 5; i++) {
                limiter.tryAcquire();
            }
            limiter.tryAcquire(3);
            assertEquals(2, decisions("permitted", "none"));
            assertEquals(3, decisions("rejected", "concurrency"));
            assertEquals(1, decisions("rejected", "never"));
            assertNull(registry.find("weir.acquire").tag("reason", "rate").meter());
            assertEquals(2, gauge("weir.inflight"));
            assertEquals(2, gauge("weir.limit"));
            assertEquals(1, gauge("weir.enforced"));
            limiter.enforce(0);
            limiter.tryAcquire();
            assertEquals(3, decisions("permitted", "none"));
            assertEquals(1, registry.get("weir.passed").functionCounter().count());
            assertEquals(0, gauge("weir.enforced"));
        }
    }

    @Test
    void holdTimesAreInSecondsAndByOutcome() {
        ManagedLimiter limiter = limiter("checkout", 9);
        try (WeirMeters meters = WeirMeters.of(limiter, 1)) {
            meters.bindTo(registry);
            for (Outcome outcome : Outcome.values()) {
                Permit permit = assertInstanceOf(Permit.class, limiter.tryAcquire());
                time.advance(Duration.ofMillis(250));
                permit.release(outcome);
            }
            for (String outcome : List.of("success", "dropped", "ignored")) {
                FunctionTimer timer =
                        registry.get("weir.execution").tag("outcome", outcome).functionTimer();
                assertEquals(1, timer.count());
                assertEquals(0.25, timer.totalTime(TimeUnit.SECONDS), 1e-9);
            }
            assertEquals(
                    3, registry.find("weir.execution").functionTimers().size(), "what never started has no duration");
        }
    }

    /** Another observer may time more: an adaptive control does. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allAreCountedHoweverManyAreTimed(boolean isTimedByAnother) {
        ManagedLimiter limiter = limiter("checkout", 9);
        AtomicLong timed = new AtomicLong();
        limiter.observe(new LimiterObserver() {
            @Override
            public boolean timesNext() {
                return isTimedByAnother;
            }

            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                timed.addAndGet(heldNanos >= 0 ? 1 : 0);
            }
        });
        try (WeirMeters meters = WeirMeters.of(limiter, 10)) {
            meters.bindTo(registry);
            FunctionTimer times =
                    registry.get("weir.execution").tag("outcome", "success").functionTimer();
            double before = 0;
            for (int i = 0; i < 10_000; i++) {
                long millis = i % 3;
                limiter.run(() -> time.advance(Duration.ofMillis(millis)));
                assertTrue(times.totalTime(TimeUnit.MILLISECONDS) >= before, "a sum that falls looks like a restart");
                before = times.totalTime(TimeUnit.MILLISECONDS);
            }
            assertEquals(isTimedByAnother ? 10_000 : 1000, timed.get(), 200, "one in ten, 6 deviations off at most");
            assertEquals(10_000, times.count());
            assertEquals(10_000, times.totalTime(TimeUnit.MILLISECONDS), 2_000, "1 ms each, on average");
            assertEquals(10_000, decisions("permitted", "none"));
        }
    }

    @Test
    void permitsThatAreTimedHaveBucketsOnlyIfAskedFor() {
        ManagedLimiter limiter = limiter("checkout", 1);
        try (WeirMeters meters = WeirMeters.of(limiter, 1)) {
            meters.bindTo(registry);
            assertNull(registry.find("weir.execution.sampled").meter());
        }
        try (WeirMeters meters = WeirMeters.of(limiter, 1)
                .executions(timer -> timer.serviceLevelObjectives(Duration.ofMillis(10), Duration.ofMillis(100)))) {
            meters.bindTo(registry);
            for (int millis : new int[] {5, 50, 60}) {
                limiter.run(() -> time.advance(Duration.ofMillis(millis)));
            }
            HistogramSnapshot sampled =
                    registry.get("weir.execution.sampled").timer().takeSnapshot();
            assertEquals(3, sampled.count());
            assertEquals(1, sampled.histogramCounts()[0].count());
            assertEquals(3, sampled.histogramCounts()[1].count());
        }
        assertEquals(List.of(), registry.getMeters());
    }

    @Test
    void changesOfTheLimitAreCountedByABoundedWhy() {
        ManagedLimiter limiter = limiter("checkout", 1);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            limiter.dial().setLimit(2);
            limiter.dial().setLimit(3, "gradient: 2.5 -> 3");
            limiter.dial().setLimit(4, "gradient: 3.5 -> 4");
            limiter.dial().setLimit(5, "evil\r\nname\u001b[31m: x");
            limiter.reconfigure(new Semaphore(8));
            assertEquals(1, changes("dial"));
            assertEquals(2, changes("gradient"));
            assertEquals(1, changes("evil__name_[31m"));
            assertEquals(1, changes("reconfigured"));
            for (int i = 0; i < 1000; i++) {
                limiter.dial().setLimit(100 + i, "hand " + i);
            }
            assertEquals(17, registry.find("weir.limit.changes").counters().size());
            assertEquals(988, changes("other"));
        }
    }

    @Test
    void metersAreNeverTaggedByKeyAndNamesAreHarmless() {
        ManagedLimiter limiter = limiter("a\nb" + "x".repeat(500), 1000);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            int before = registry.getMeters().size();
            for (int key = 0; key < 500; key++) {
                limiter.tryAcquire(Request.forKey("key" + key));
            }
            assertEquals(before, registry.getMeters().size());
            String expected = "a_b" + "x".repeat(61);
            registry.getMeters().forEach(meter -> {
                assertEquals(expected, meter.getId().getTag("name"));
                assertTrue(meter.getId().getName().matches("weir(\\.[a-z]+)+"));
            });
        }
    }

    @Test
    void closingRemovesTheMetersAndTheObserver() {
        ManagedLimiter limiter = limiter("checkout", 5);
        MeterRegistry other = new SimpleMeterRegistry();
        WeirMeters meters = WeirMeters.of(limiter, 1);
        meters.bindTo(registry);
        meters.bindTo(other);
        Permit late = assertInstanceOf(Permit.class, limiter.tryAcquire());
        limiter.dial().setLimit(6);
        meters.close();
        meters.close();
        assertEquals(List.of(), registry.getMeters());
        assertEquals(List.of(), other.getMeters());
        limiter.dial().setLimit(7);
        late.close();
        assertEquals(List.of(), registry.getMeters());
        Oracle.assertCapacity(7, limiter);
        meters.bindTo(registry);
        assertEquals(7, gauge("weir.limit"));
    }

    @Test
    void theLimiterCountsUntilItsMetersAreClosed() {
        ManagedLimiter limiter = limiter("checkout", 5);
        Counting peek = limiter.count();
        peek.close();
        WeirMeters meters = WeirMeters.of(limiter);
        meters.bindTo(registry);
        assertThrows(IllegalStateException.class, () -> meters.bindTo(registry));
        limiter.run(() -> {});
        assertEquals(1, decisions("permitted", "none"));
        meters.close();
        limiter.run(() -> {});
        assertEquals(1, peek.counts().admitted());
    }

    @Test
    void twoLimitersOfOneNameAreNotMixed() {
        WeirMeters first = WeirMeters.of(limiter("same", 1));
        first.bindTo(registry);
        WeirMeters second = WeirMeters.of(limiter("same", 2));
        assertThrows(IllegalStateException.class, () -> second.bindTo(registry));
        assertThrows(IllegalStateException.class, () -> first.bindTo(registry));
        second.close();
        assertEquals(1, gauge("weir.limit"));
        first.close();
        second.bindTo(registry);
        assertEquals(2, gauge("weir.limit"));
    }

    @Test
    void S15_aRegistryThatThrowsLeaksNoPermitAndLeavesNothingHalfBound() {
        AtomicBoolean throwing = new AtomicBoolean();
        MeterRegistry faulty = new SimpleMeterRegistry() {
            @Override
            protected <T> FunctionTimer newFunctionTimer(
                    Meter.Id id, T from, ToLongFunction<T> count, ToDoubleFunction<T> total, TimeUnit unit) {
                trip(throwing);
                return super.newFunctionTimer(id, from, count, total, unit);
            }

            @Override
            protected io.micrometer.core.instrument.Counter newCounter(Meter.Id id) {
                trip(throwing);
                return super.newCounter(id);
            }
        };
        ManagedLimiter limiter = limiter("checkout", 3);
        WeirMeters meters = WeirMeters.of(limiter, 1);
        throwing.set(true);
        assertThrows(IllegalStateException.class, () -> meters.bindTo(faulty));
        assertEquals(List.of(), faulty.getMeters());
        throwing.set(false);
        meters.bindTo(faulty);
        throwing.set(true);
        List<Permit> out = Stream.generate(limiter::tryAcquire)
                .limit(3)
                .map(Permit.class::cast)
                .toList();
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        for (int change = 0; change <= 100; change++) {
            limiter.dial().setLimit(4 + change % 2, "boom");
        }
        out.forEach(permit -> assertTrue(permit.release(Outcome.SUCCESS)));
        for (int i = 0; i < 100; i++) {
            limiter.run(() -> {});
        }
        assertEquals(0, limiter.snapshot().inFlight());
        Oracle.assertCapacity(4, limiter);
        assertTrue(limiter.counts().failures() > 100, "each was swallowed and counted");
    }

    private static void trip(AtomicBoolean throwing) {
        if (throwing.get()) {
            throw new IllegalStateException("registry is ill");
        }
    }

    @Test
    void ratesAreMeteredAlike() {
        ManagedLimiter limiter = Limiters.builder("rate", TokenBucket.of(2, Duration.ofSeconds(1)))
                .ticker(time)
                .build();
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            for (int i = 0; i < 5; i++) {
                limiter.tryAcquire();
            }
            assertEquals(2, decisions("permitted", "none"));
            assertEquals(3, decisions("rejected", "rate"));
            assertEquals(0, gauge("weir.inflight"));
        }
    }

    @Test
    void waitsAreForTheQueueToRecord() {
        WeirMeters.waits("a\tb").register(registry).record(Duration.ofMillis(3));
        WeirMeters.waits("a\tb").register(registry).record(Duration.ofMillis(5));
        Timer timer = registry.get("weir.wait").tag("name", "a_b").timer();
        assertEquals(2, timer.count());
        assertEquals(0.008, timer.totalTime(TimeUnit.SECONDS), 1e-9);
    }

    @Test
    void refusesASampleOfNone() {
        ManagedLimiter limiter = limiter("checkout", 1);
        assertThrows(IllegalArgumentException.class, () -> WeirMeters.of(limiter, 0));
    }

    private ManagedLimiter limiter(String name, long limit) {
        return Limiters.builder(name, new Semaphore(limit)).ticker(time).build();
    }

    private double decisions(String outcome, String reason) {
        return registry.get("weir.acquire")
                .tags("outcome", outcome, "reason", reason)
                .functionCounter()
                .count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double changes(String why) {
        return registry.get("weir.limit.changes").tag("why", why).counter().count();
    }
}
