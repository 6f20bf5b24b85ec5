package dev.weir.queue;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Counts;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.discipline.FairShare;
import dev.weir.queue.discipline.Lifo;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A queue before a limit that is enforced in part: each request is checked once, wherever it waits. */
class EnforcedShareTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int MANY = 1_000;

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("limiter", new Semaphore(1)).ticker(time).build();
    private final Counts counts = limiter.counts();
    private final Permit held = (Permit) limiter.tryAcquire();

    static List<QueueSpec> specs() {
        QueueSpec fair = QueueSpec.of(MANY);
        return List.of(
                fair,
                fair.by(new Lifo()),
                fair.by(new FairShare()),
                QueueSpec.of(10),
                fair.unfair(IntervalFunction.of(Duration.ofMillis(10))));
    }

    private AdmissionQueue queue(QueueSpec spec) {
        return AdmissionQueue.builder("limiter", limiter, spec)
                .executor(Runnable::run)
                .build();
    }

    private static List<CompletableFuture<Decision>> burst(AdmissionQueue queue, Duration maxWait) {
        List<CompletableFuture<Decision>> requested = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            requested.add(queue.acquireAsync(new Request(1 + i % 2, 0, i % 7, Request.NO_DEADLINE), maxWait));
        }
        return requested;
    }

    private static long granted(List<CompletableFuture<Decision>> requested) {
        return requested.stream()
                .filter(future -> future.getNow(null) instanceof Permit)
                .count();
    }

    private static void assertShare(double share, long passed) {
        assertEquals(share * MANY, passed, 0.02 * MANY);
    }

    /** A smaller share grants to waiters, and each release runs the dispatcher. */
    private void enforce(double share) {
        limiter.enforce(share);
        wakeUp();
    }

    private void wakeUp() {
        for (Decision passed = limiter.tryAcquire(); ; passed = limiter.tryAcquire()) {
            if (passed instanceof Permit permit) {
                permit.close();
                return;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S19_ofABurstTheShareThatIsNotEnforcedIsLetThrough(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        limiter.enforce(0.75);
        List<CompletableFuture<Decision>> requested = burst(queue, SECOND);
        time.advance(SECOND.multipliedBy(2));
        assertTrue(requested.stream().allMatch(CompletableFuture::isDone));
        assertShare(0.25, granted(requested));
        assertEquals(granted(requested), counts.passed());
    }

    @Test
    void S19_soItIsOfThoseThatDoNotWaitBehindOneThatDoes() {
        AdmissionQueue queue = queue(QueueSpec.of(10));
        queue.acquireAsync(Request.ONE, EVER);
        limiter.enforce(0.75);
        int passed = 0;
        for (int i = 0; i < MANY; i++) {
            passed += queue.tryAcquire(Request.ONE) instanceof Permit ? 1 : 0;
        }
        assertShare(0.25, passed);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S19_aDryRunMakesNoRequestWait(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        limiter.enforce(0);
        assertEquals(MANY, granted(burst(queue, SECOND)));
        assertEquals(0, queue.snapshot().length());
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S19_waitersAreCheckedOnceForEachSmallerShare(QueueSpec spec) {
        AdmissionQueue queue = queue(spec);
        List<CompletableFuture<Decision>> requested = burst(queue, EVER);
        int refused = MANY - queue.snapshot().length();
        enforce(0.75);
        long first = granted(requested);
        if (refused == 0) {
            assertTrue(first >= 150 && first <= 350, () -> first + " passed");
        }
        for (int i = 0; i < 20; i++) {
            wakeUp();
            time.advance(SECOND);
        }
        assertEquals(first, granted(requested), "checked once");
        enforce(0);
        assertEquals(MANY - refused, granted(requested));
        assertEquals(1, limiter.inFlight());
    }

    @Test
    void S19_aShareThatHadRisenUnnoticedFalls() {
        AdmissionQueue queue = queue(QueueSpec.of(MANY + 1));
        queue.acquireAsync(Request.of(2), EVER);
        queue.acquireAsync(Request.ONE, EVER);
        enforce(0.75);
        limiter.enforce(1);
        List<CompletableFuture<Decision>> requested = burst(queue, EVER);
        assertEquals(0, granted(requested));
        enforce(0.75);
        assertShare(0.25, granted(requested));
    }

    @Test
    void S19_oneThatLeavesMakesWayForThoseBehind() {
        AdmissionQueue queue = queue(QueueSpec.of(10));
        limiter.dial().setLimit(2);
        CompletableFuture<Decision> two = queue.acquireAsync(Request.of(2), EVER);
        CompletableFuture<Decision> one = queue.acquireAsync(Request.ONE, EVER);
        assertFalse(two.isDone() || one.isDone());
        enforce(0);
        assertInstanceOf(Permit.class, two.getNow(null));
        assertInstanceOf(Permit.class, one.getNow(null));
    }

    @ParameterizedTest
    @MethodSource("specs")
    void S19_blockedThreadsAreLetThroughToo(QueueSpec spec) throws Exception {
        ManagedLimiter real = Limiters.of("real", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(real, spec);
        Permit out = (Permit) real.tryAcquire();
        List<FutureTask<Decision>> requested = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            FutureTask<Decision> one = new FutureTask<>(() -> queue.acquire(Request.ONE, EVER));
            requested.add(one);
            new Thread(one, "waits").start();
        }
        await().until(() -> queue.snapshot().length() == 8);
        real.enforce(0);
        ((Permit) real.tryAcquire()).close();
        for (FutureTask<Decision> one : requested) {
            assertInstanceOf(Permit.class, one.get(2, TimeUnit.MINUTES)).close();
        }
        out.close();
    }
}
