package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.status.LimitChange;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.Registration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue that an adaptive limit has where no document says anything of one. */
class AdaptiveQueueTest extends RegistryFixture {
    /** As the page of documents has it. */
    private static final String SAME =
            "queue: { capacity: 10000, max-wait: 500ms, discipline: { name: adaptive-lifo, standing: 5ms } }";

    private static final String ONE_AT_ONCE = "limits: { a: { concurrency: 1, adaptive: { max: 1 } } }";

    private static @Nullable QueueSpec queue(String document) throws Exception {
        var read =
                DocumentReader.system().read("d", document.getBytes(StandardCharsets.UTF_8), Format.YAML, limiter -> 0);
        assertEquals(List.of(), read.problems());
        return Objects.requireNonNull(read.limits().get("a")).find(LimitPlan.QUEUE);
    }

    private static QueueSpec same() throws Exception {
        return Objects.requireNonNull(queue("limits: { a: { concurrency: 1, " + SAME + " } }"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "concurrency: 9, adaptive: true",
                "concurrency: 9, adaptive: { min: 2, controller: vegas }",
                "concurrency: 9, algorithm: counter, adaptive: true",
                "concurrency: 9, warm-up: 30s, adaptive: true",
                "concurrency: 9, adaptive: { controller: { name: queue-delay-pid, target: 50ms } }"
            })
    void isThereWhereAllRequestsNeedTheSame(String limit) throws Exception {
        assertEquals(same(), queue("limits: { a: { " + limit + " } }"));
    }

    /** The first that waits must not stop one that would be granted, and no task must wait without a time-out. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "concurrency: 9",
                "concurrency: 9, adaptive: false",
                "concurrency: 9, adaptive: true, queue: false",
                "concurrency: 9, adaptive: true, key: user",
                "concurrency: 9, adaptive: true, algorithm: priority-shedding, reserved: 20",
                "concurrency: 9, adaptive: true, algorithm: partitioned, percents: { a: 60 }, lent: 90",
                "concurrency: 9, adaptive: true, executor: 9",
                "rate: 9/s, adaptive: true",
                "rate: 9/s, warm-up: 30s, adaptive: true",
                "all-of: [ { concurrency: 9 }, { rate: 9/s } ], adaptive: true",
                "algorithm: closed, adaptive: false"
            })
    void isNotThereElsewhere(String limit) throws Exception {
        assertNull(queue("limits: { a: { " + limit + " } }"));
    }

    /** The last field is the capacity; 0 = no queue. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "queue: 3                  | concurrency: 9, adaptive: true                    | 3",
                "queue: false              | concurrency: 9, adaptive: true                    | 0",
                "queue: 3                  | concurrency: 9, adaptive: true, queue: false      | 0",
                "queue: false              | concurrency: 9, adaptive: true, queue: 4          | 4",
                "adaptive: true            | concurrency: 9                                    | 10000",
                "adaptive: true            | concurrency: 9, queue: false                      | 0",
                "adaptive: true, queue: 5  | concurrency: 9, adaptive: false                   | 5",
                "adaptive: true            | concurrency: 9, rollout: { percent: 50, to: { queue: false } } | 0",
                "adaptive: true, queue: 5  | concurrency: 9, rollout: { percent: 50, to: { queue: false } } | 0",
                "adaptive: false           | concurrency: 9, rollout: { percent: 50, to: { adaptive: true } } | 10000"
            })
    void whatIsSaidAnywhereComesFirst(String template, String limit, int capacity) throws Exception {
        QueueSpec queue =
                queue("{ templates: { t: { " + template + " } }, limits: { a: { template: t, " + limit + " } } }");
        assertEquals(capacity, queue == null ? 0 : queue.capacity());
    }

    private int waiting(NamedLimiter limiter) {
        QueueSnapshot queue = limiter.status().queue();
        return queue == null ? 0 : queue.length();
    }

    private static Reason reason(Decision decision) {
        return assertInstanceOf(Rejection.class, decision).reason();
    }

    @Test
    void holdsNobodyLongerThanHalfASecondUnlessTheCallerSaysSo() {
        NamedLimiter limiter = registry(ONE_AT_ONCE).limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertEquals(Duration.ofMillis(500), limiter.maxWait());
        assertEquals(Reason.CONCURRENCY, reason(limiter.tryAcquire()), "it does not wait");
        assertEquals(
                Reason.CONCURRENCY,
                reason(limiter.acquireAsync(Request.ONE, Duration.ZERO).join()));
        assertEquals(0, waiting(limiter));
        CompletableFuture<Decision> brief = limiter.acquireAsync(Request.ONE, Duration.ofMillis(2));
        CompletableFuture<Decision> usual = limiter.acquireAsync(Request.ONE);
        CompletableFuture<Decision> due = limiter.acquireAsync(Request.ONE.withDeadlineNanos(3_000_000));
        CompletableFuture<Decision> patient = limiter.acquireAsync(Request.ONE, Duration.ofSeconds(2));
        time.advance(Duration.ofMillis(2));
        assertEquals(Reason.TIMED_OUT, reason(brief.join()));
        time.advance(Duration.ofMillis(1));
        assertEquals(Reason.TIMED_OUT, reason(due.join()));
        time.advance(Duration.ofMillis(497).minusNanos(1));
        assertFalse(usual.isDone());
        time.advance(Duration.ofNanos(1));
        assertEquals(Reason.TIMED_OUT, reason(usual.join()));
        held.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, patient.join()).release(Outcome.SUCCESS);
        assertEquals(1, granted(limiter));
    }

    @Test
    void aThreadThatWaitsKeepsItsPlaceWhenTheQueueGoesAndComes() {
        NamedLimiter limiter = registry(ONE_AT_ONCE).limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        CompletableFuture<String> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> limiter.run(() -> ended.complete("ran"), refused -> ended.complete(refused.toString())));
        thread.setDaemon(true);
        thread.start();
        await().until(() -> waiting(limiter) == 1);
        for (String next : List.of("queue: false", SAME, "queue: false", "enforce: 1")) {
            source.write("limits: { a: { concurrency: 1, adaptive: { max: 1 }, " + next + " } }");
            assertEquals(List.of(), changed().problems(), next);
            assertEquals(1, waiting(limiter), next);
        }
        held.release(Outcome.SUCCESS);
        assertEquals("ran", ended.join());
        await().until(() -> limiter.snapshot().inFlight() == 0);
    }

    @Test
    void grantsInOrderOfArrivalAndTheNewestFirstOnceItStands() {
        NamedLimiter limiter = registry(ONE_AT_ONCE).limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        List<CompletableFuture<Decision>> waiters = List.of(
                limiter.acquireAsync(Request.ONE),
                limiter.acquireAsync(Request.ONE),
                limiter.acquireAsync(Request.ONE));
        time.advance(Duration.ofMillis(5));
        held.release(Outcome.SUCCESS);
        await().until(waiters.get(0)::isDone);
        time.advance(1);
        assertInstanceOf(Permit.class, waiters.get(0).join()).release(Outcome.SUCCESS);
        await().until(waiters.get(2)::isDone);
        assertFalse(waiters.get(1).isDone());
    }

    @Test
    void aLimitThatIsNotEnforcedLetsNobodyWait() {
        NamedLimiter limiter = registry("limits: { a: { concurrency: 1, adaptive: { max: 1 }, enforce: 0 } }")
                .limiter("a");
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Decision> asked = limiter.acquireAsync(Request.ONE);
            assertTrue(asked.isDone());
            assertInstanceOf(Permit.class, asked.join());
        }
        assertEquals(0, waiting(limiter));
    }

    @Test
    void isExplainedAndItsChangesAreToo() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 20, queue: 3 } }");
        write("limits: { a: { concurrency: 20, adaptive: true } }");
        assertEquals(
                "adaptive true, concurrency 20, queue adaptive-lifo by adaptive",
                registry.names().explain("a").settings());
        List<LimitChange> changes = registry.names().explain("a").changes();
        assertTrue(
                changes.get(changes.size() - 1)
                        .toString()
                        .endsWith("a.adaptive: none -> true, a.queue: 3 -> adaptive-lifo by adaptive"),
                changes::toString);
        write("limits: { a: { concurrency: 20, adaptive: true, queue: false } }");
        assertEquals(
                "adaptive true, concurrency 20, queue false",
                registry.names().explain("a").settings());
    }

    @Test
    void anOverrideHasTheSame() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: 3 } }");
        NamedLimiter limiter = registry.limiter("a");
        Registration hand =
                registry.override("a", "{ adaptive: true, queue: null }", Duration.ofHours(1), "ann", "bursts");
        assertEquals(Duration.ofMillis(500), limiter.maxWait());
        hand.close();
        write("limits: { a: { concurrency: 1, adaptive: true } }");
        hand = registry.override("a", "queue: false", Duration.ofHours(1), "ann", "no queue");
        assertEquals(Duration.ZERO, limiter.maxWait());
        hand.close();
        hand = registry.override("a", "adaptive: null", Duration.ofHours(1), "ann", "fixed");
        assertEquals(Duration.ZERO, limiter.maxWait());
        hand.close();
        assertEquals(Duration.ofMillis(500), limiter.maxWait());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "20000, 10000"})
    void isNoLargerThanTheCapOfTheCode(long cap, int capacity) {
        LimiterRegistry registry = registry(ONE_AT_ONCE);
        NamedLimiter limiter = registry.names().limiter("a", new Semaphore(2), Caps.NONE.withQueueCapacity(cap));
        write("limits: { a: { concurrency: 1, adaptive: { max: 1 }, track-permits: 1 } }");
        assertEquals(List.of(), changed().problems());
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        boolean waits = !limiter.acquireAsync(Request.ONE).isDone();
        assertEquals(capacity > 0, waits);
        assertEquals(
                capacity > 0, registry.names().explain("a").settings().contains("queue adaptive-lifo by adaptive"));
        assertEquals(
                capacity,
                Objects.requireNonNull(limiter.status().queue()).spec().capacity());
        held.release(Outcome.SUCCESS);
    }
}
