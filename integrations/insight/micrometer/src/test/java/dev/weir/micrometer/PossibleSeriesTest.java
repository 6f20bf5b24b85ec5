package dev.weir.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.QueueView;
import dev.weir.queue.discipline.CoDel;
import dev.weir.queue.discipline.Lifo;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** No series of a decision that the limit and its queue cannot make; each that they can, from the start. */
class PossibleSeriesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StrategySpec RATE = TokenBucket.of(2, SECOND);
    private static final StrategySpec CONCURRENCY = new Semaphore(2);
    private static final QueueSpec FIFO = QueueSpec.of(2);
    private static final QueueSpec LIFO = FIFO.by(new Lifo());

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(RATE, null, "rate never"),
                Arguments.of(new LeakyBucket(2, SECOND, 2), null, "rate never"),
                Arguments.of(new FixedWindow(2, SECOND, null), null, "rate never"),
                Arguments.of(Gcra.of(2, SECOND), null, "rate never"),
                Arguments.of(CONCURRENCY, null, "concurrency never"),
                Arguments.of(PriorityShedding.of(10, 0, 50), null, "concurrency shed never"),
                Arguments.of(new Open(), null, ""),
                Arguments.of(new Closed(), null, "never"),
                Arguments.of(WarmUp.of(CONCURRENCY, SECOND), null, "concurrency never"),
                Arguments.of(WarmUp.of(RATE, SECOND), null, "rate never"),
                Arguments.of(AllOf.of(CONCURRENCY, RATE), null, "concurrency rate never"),
                Arguments.of(AllOf.of(RATE, new Open()), null, "rate never"),
                Arguments.of(Keyed.of(RATE, 10), null, "rate never key_missing"),
                Arguments.of(Keyed.of(CONCURRENCY, 10), null, "concurrency never key_missing"),
                Arguments.of(AllOf.of(Keyed.of(RATE, 10), CONCURRENCY), null, "rate concurrency never key_missing"),
                Arguments.of(RATE, FIFO, "rate never queue_full timed_out cancelled"),
                Arguments.of(CONCURRENCY, FIFO, "concurrency never queue_full timed_out cancelled"),
                Arguments.of(CONCURRENCY, LIFO, "concurrency never queue_full timed_out cancelled shed"),
                Arguments.of(
                        CONCURRENCY,
                        FIFO.by(new CoDel(Duration.ofMillis(5), SECOND)),
                        "concurrency never queue_full timed_out cancelled shed"),
                Arguments.of(
                        CONCURRENCY,
                        QueueSpec.of(0).by(new Lifo()),
                        "concurrency never queue_full timed_out cancelled"),
                Arguments.of(CONCURRENCY, QueueSpec.of(0).waiting(Duration.ZERO), "concurrency never"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLimitHasTheSeriesOfItsKind(StrategySpec spec, @Nullable QueueSpec before, String reasons) {
        ManagedLimiter limiter = limiter(spec);
        try (WeirMeters meters = WeirMeters.of(limiter);
                QueueMeters ofQueue = before == null
                        ? null
                        : QueueMeters.of(queue(limiter, before)).before(meters)) {
            meters.bindTo(registry);
            if (ofQueue != null) {
                ofQueue.bindTo(registry);
                assertEquals(reasons.contains("shed"), hasEnded("shed"));
            }
            assertEquals(words(reasons), shown());
            assertEquals(1, series("permitted").count());
            assertNull(registry.find("weir.passed").meter());
        }
        assertTrue(registry.getMeters().isEmpty(), registry::getMetersAsString);
    }

    @Test
    void aChangeOfTheKindAddsSeriesAndRemovesThoseThatHaveCountedNothing() {
        ManagedLimiter limiter = limiter(RATE);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            limiter.reconfigure(CONCURRENCY);
            assertEquals(words("concurrency never"), shown());
            refuseOne(limiter);
            limiter.reconfigure(RATE);
            assertEquals(words("concurrency rate never"), shown(), "one was counted: no total becomes smaller");
            assertEquals(1, refused("concurrency"));
            refuseOne(limiter);
            limiter.reconfigure(new Open());
            assertEquals(words("concurrency rate"), shown());
            limiter.close();
            assertEquals(words("concurrency rate"), shown());
            refuseOne(limiter);
            assertEquals(words("concurrency rate cancelled"), shown());
            assertEquals(1, refused("cancelled"));
        }
        assertTrue(registry.getMeters().isEmpty(), registry::getMetersAsString);
    }

    @Test
    void aChangeOfTheQueueDoesSo() {
        ManagedLimiter limiter = limiter(CONCURRENCY);
        AdmissionQueue queue = queue(limiter, FIFO);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            try (QueueMeters ofQueue = QueueMeters.of(QueueView.of(queue)).before(meters)) {
                ofQueue.bindTo(registry);
                queue.reconfigure(LIFO);
                assertEquals(words("concurrency never queue_full timed_out cancelled shed"), shown());
                assertTrue(hasEnded("shed"));
                queue.reconfigure(FIFO);
                assertEquals(words("concurrency never queue_full timed_out cancelled"), shown());
                assertFalse(hasEnded("shed"));
                queue.reconfigure(LIFO);
                for (int i = 0; i < 5; i++) {
                    queue.acquireAsync(Request.ONE, SECOND);
                }
                queue.reconfigure(FIFO);
                assertTrue(hasEnded("shed"), "one was counted");
                assertEquals(1, refused("shed"));
            }
            assertEquals(words("concurrency never shed"), shown());
        }
        assertTrue(registry.getMeters().isEmpty(), registry::getMetersAsString);
    }

    /** The meters of the queue do not know those of the limiter. */
    @Test
    void anUnexpectedReasonAppearsWhenItIsCounted() {
        ManagedLimiter limiter = limiter(CONCURRENCY);
        AdmissionQueue queue = queue(limiter, FIFO);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            for (int i = 0; i < 5; i++) {
                queue.acquireAsync(Request.ONE, SECOND);
            }
            assertEquals(words("concurrency never queue_full"), shown());
            assertEquals(1, refused("queue_full"));
            time.advance(SECOND);
            assertEquals(2, refused("timed_out"));
        }
    }

    @Test
    void whatWasCountedBeforeHasItsSeries() {
        ManagedLimiter limiter = limiter(CONCURRENCY);
        assertEquals(0, limiter.counts().refused(Reason.CONCURRENCY));
        refuseOne(limiter);
        limiter.reconfigure(RATE);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            assertEquals(1, refused("concurrency"));
        }
    }

    @Test
    void whatIsLetThroughHasASeriesWhereSomeIsLetThrough() {
        ManagedLimiter limiter = limiter(CONCURRENCY);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            limiter.enforce(0);
            for (int i = 0; i < 3; i++) {
                assertInstanceOf(Permit.class, limiter.tryAcquire());
            }
            assertEquals(1, registry.get("weir.passed").functionCounter().count());
        }
        assertNull(registry.find("weir.passed").meter());
        try (WeirMeters again = WeirMeters.of(limiter)) {
            again.bindTo(registry);
            assertEquals(1, registry.get("weir.passed").functionCounter().count());
        }
    }

    @Test
    void aRateHasWhatIsLeftAndATableItsKeys() {
        ManagedLimiter limiter = limiter(CONCURRENCY);
        try (WeirMeters meters = WeirMeters.of(limiter)) {
            meters.bindTo(registry);
            assertEquals(Set.of(), optional());
            limiter.reconfigure(TokenBucket.of(5, SECOND));
            assertEquals(Set.of("weir.remaining"), optional());
            limiter.tryAcquire(2);
            assertEquals(3, value("weir.remaining"));
            time.advance(SECOND);
            assertEquals(5, value("weir.remaining"));
            limiter.reconfigure(AllOf.of(Keyed.of(RATE, 10), CONCURRENCY));
            assertEquals(Set.of("weir.keys"), optional(), "what is left differs by key");
            limiter.tryAcquire(Request.forKey("ann"));
            limiter.tryAcquire(Request.forKey("bob"));
            assertEquals(2, value("weir.keys"));
            limiter.reconfigure(CONCURRENCY);
            assertEquals(Set.of(), optional());
        }
        assertTrue(registry.getMeters().isEmpty(), registry::getMetersAsString);
    }

    @Test
    void theOldestPermitIsShownWhileSomeAreTracked() {
        ManagedLimiter limiter = limiter(new Semaphore(3));
        try (WeirMeters meters = WeirMeters.of(limiter, 1)) {
            meters.bindTo(registry);
            limiter.run(() -> {});
            assertEquals(Set.of(), optional());
            limiter.trackPermits(1);
            Permit oldest = (Permit) limiter.tryAcquire();
            assertEquals(Set.of("weir.held.oldest"), optional(), "the first that is timed tells");
            time.advance(SECOND);
            Permit second = (Permit) limiter.tryAcquire();
            time.advance(SECOND);
            assertEquals(2, held());
            oldest.close();
            assertEquals(1, held());
            limiter.trackPermits(0);
            limiter.run(() -> {});
            assertEquals(1, held(), "it is tracked until it is released");
            second.close();
            assertEquals(0, held());
            limiter.run(() -> {});
            assertEquals(Set.of(), optional());
        }
    }

    @Test
    void aSuspensionIsShownFromTheFirstOneOn() {
        ManagedLimiter limiter = limiter(new Semaphore(3));
        try (WeirMeters meters = WeirMeters.of(limiter, 1)) {
            meters.bindTo(registry);
            assertNull(registry.find("weir.suspended").meter());
            limiter.suspendFor(SECOND.multipliedBy(9), "told");
            assertEquals(9, registry.get("weir.suspended").timeGauge().value(TimeUnit.SECONDS));
            limiter.tryAcquire();
            assertEquals(
                    1,
                    registry.get("weir.acquire")
                            .tag("reason", "suspended")
                            .functionCounter()
                            .count());
            time.advance(SECOND.multipliedBy(9));
            assertEquals(0, registry.get("weir.suspended").timeGauge().value(TimeUnit.SECONDS));
        }
        assertNull(registry.find("weir.suspended").meter());
        limiter.suspendFor(SECOND, "before the meters");
        try (WeirMeters meters = WeirMeters.of(limiter, 1)) {
            meters.bindTo(registry);
            assertEquals(1, registry.get("weir.suspended").timeGauge().value(TimeUnit.SECONDS));
        }
    }

    private double held() {
        return registry.get("weir.held.oldest").timeGauge().value(TimeUnit.SECONDS);
    }

    private double value(String meter) {
        return registry.get(meter).gauge().value();
    }

    private Set<String> optional() {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .filter(Set.of("weir.remaining", "weir.keys", "weir.held.oldest")::contains)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Either the change sees what was counted, or the request sees that its series is hidden. */
    @Test
    void noRefusalIsMissingHoweverOftenTheKindChanges() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            SimpleMeterRegistry fresh = new SimpleMeterRegistry();
            ManagedLimiter changed = limiter(CONCURRENCY);
            try (WeirMeters meters = WeirMeters.of(changed)) {
                meters.bindTo(fresh);
                assertInstanceOf(Permit.class, changed.tryAcquire(2));
                Thread asking = new Thread(changed::tryAcquire);
                asking.start();
                changed.reconfigure(RATE);
                changed.reconfigure(new Open());
                asking.join();
                double told = fresh.find("weir.acquire").functionCounters().stream()
                        .mapToDouble(FunctionCounter::count)
                        .sum();
                assertEquals(2, told, fresh::getMetersAsString);
            }
        }
    }

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("checkout", spec).ticker(time).build();
    }

    private AdmissionQueue queue(ManagedLimiter limiter, QueueSpec spec) {
        return AdmissionQueue.builder(limiter.name(), limiter, spec)
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
    }

    private static void refuseOne(ManagedLimiter limiter) {
        for (int i = 0; limiter.tryAcquire() instanceof Permit; i++) {
            assertTrue(i < 2);
        }
    }

    private static Set<String> words(String text) {
        return Stream.of(text.split(" "))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Stream<Meter> series(String outcome) {
        return registry.find("weir.acquire").tag("outcome", outcome).meters().stream();
    }

    private Set<String> shown() {
        return series("rejected")
                .map(meter -> "" + meter.getId().getTag("reason"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private double refused(String reason) {
        return registry.get("weir.acquire")
                .tag("reason", reason)
                .functionCounter()
                .count();
    }

    private boolean hasEnded(String how) {
        return registry.find("weir.queue.ended").tag("how", how).meter() != null;
    }
}
