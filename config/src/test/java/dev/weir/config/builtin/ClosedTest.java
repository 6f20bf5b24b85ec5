package dev.weir.config.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link Closed} has no limit that could be set, so it is not a subject of the contract of strategies. */
class ClosedTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("route", new Semaphore(2)).ticker(time).build();

    @Test
    void hasAName() throws Exception {
        assertEquals(new Closed(), BuiltinTest.plan("algorithm: closed").spec());
    }

    @Test
    void truthTable() {
        PartStrategy closed = Parts.create(new Closed(), time);
        assertEquals(Strategy.NEVER, closed.acquire(Request.ONE));
        assertEquals(Strategy.NEVER, closed.acquire(Request.of(Long.MAX_VALUE)));
        closed.setLimit(5);
        assertEquals(Strategy.NEVER, closed.acquire(Request.ONE));
        assertEquals(0, closed.limit());
        assertEquals(0, closed.quota(Request.ONE).remaining());
        assertEquals(0, closed.inFlight());
        assertEquals(new Closed(), new Closed().withLimit(7));
    }

    @Test
    void refusesForGoodWithTheLimitZero() {
        for (StrategySpec spec : List.of(
                new Closed(),
                Keyed.of(new Closed(), 10),
                AllOf.of(new Semaphore(2), new Closed()),
                AllOf.of(TokenBucket.of(2, Duration.ofDays(1)), Keyed.of(new Closed(), 10)))) {
            limiter.reconfigure(spec);
            assertEquals(
                    new Rejection("route", Reason.NEVER, 0, 0),
                    limiter.tryAcquire(Request.forKey("k")),
                    spec::toString);
        }
        limiter.reconfigure(AllOf.of(new Semaphore(2), TokenBucket.of(2, Duration.ofDays(1))));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("k")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("k")));
    }

    static List<StrategySpec> concurrencyLimits() {
        return InBetween.concurrencyLimits();
    }

    @ParameterizedTest
    @MethodSource("concurrencyLimits")
    void W1_whatIsInFlightStaysCounted(StrategySpec limit) {
        InBetween.keepsWhatIsInFlight(limit, new Closed(), 0);
    }

    static List<StrategySpec> rates() {
        return InBetween.rates();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void W5_whatWasSpentStaysSpentAndRefills(StrategySpec rate) {
        InBetween.keepsWhatIsSpent(rate, new Closed());
        InBetween.keepsWhatIsSpent(rate, Keyed.of(new Closed(), 10));
    }

    /** New requests are refused at once; a waiter keeps its place and its deadline, as where a limit falls below its request. */
    @Test
    void S14_aWaiterOutlastsIt() {
        try (AdmissionQueue queue = AdmissionQueue.builder("route", limiter, QueueSpec.of(10))
                .executor(Runnable::run)
                .build()) {
            Permit both = (Permit) queue.tryAcquire(Request.of(2));
            CompletableFuture<Decision> first = queue.acquireAsync(Request.ONE, EVER);
            CompletableFuture<Decision> second = queue.acquireAsync(Request.of(2), EVER);
            CompletableFuture<Decision> short1 = queue.acquireAsync(Request.ONE, Duration.ofSeconds(1));
            limiter.reconfigure(new Closed());
            both.close();
            assertEquals(
                    Reason.NEVER,
                    assertInstanceOf(Rejection.class, queue.tryAcquire(Request.ONE))
                            .reason());
            assertEquals(
                    Reason.NEVER,
                    assertInstanceOf(
                                    Rejection.class,
                                    queue.acquireAsync(Request.ONE, EVER).getNow(null))
                            .reason());
            assertFalse(first.isDone() || second.isDone() || short1.isDone());
            time.advance(Duration.ofSeconds(1));
            assertEquals(Reason.TIMED_OUT, ((Rejection) short1.join()).reason());
            limiter.reconfigure(new Semaphore(2));
            Permit one = assertInstanceOf(Permit.class, first.getNow(null));
            assertFalse(second.isDone());
            one.close();
            assertInstanceOf(Permit.class, second.getNow(null)).close();
        }
    }

    @Test
    void nothingCanBeAdapted() throws Exception {
        for (String fields : List.of(
                "algorithm: closed",
                "algorithm: open, key: true",
                "algorithm: closed, warm-up: 1s",
                "all-of: [ { algorithm: open }, { concurrency: 1 } ]")) {
            assertEquals(
                    List.of("must not be given with algorithm closed or open: nothing can be adapted"),
                    BuiltinTest.problems(fields + ", adaptive: true"),
                    fields);
        }
        assertTrue(BuiltinTest.problems("algorithm: closed, adaptive: false").isEmpty());
    }
}
