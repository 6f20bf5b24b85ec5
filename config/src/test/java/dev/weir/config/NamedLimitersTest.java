package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.distributed.Mode;
import dev.weir.distributed.WhenAway;
import dev.weir.keyed.Keyed;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several names for one request: granted by all, or nothing is taken from any. */
@Tag("property")
class NamedLimitersTest extends RegistryFixture {
    private static Rejection refused(Decision decision) {
        return assertInstanceOf(Rejection.class, decision);
    }

    /* Futures complete on threads of the queue. */
    private static void grants(NamedLimiter limiter, int permits) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .untilAsserted(() -> assertEquals(permits, granted(limiter)));
    }

    @Test
    void aRefusalByOneSpendsNothingOfTheOthers() {
        LimiterRegistry registry = registry("limits: { day: { rate: 100/d }, now: { concurrency: 1 } }");
        NamedLimiters both = registry.limiter("day", "now");
        Permit held = assertInstanceOf(Permit.class, both.tryAcquire(Request.ONE));
        for (int i = 0; i < 500; i++) {
            assertEquals("now", refused(both.tryAcquire(Request.ONE)).limiter());
        }
        assertTrue(held.release(Outcome.SUCCESS));
        assertFalse(held.release(Outcome.SUCCESS));
        assertEquals(99, granted(registry.limiter("day")));
        assertEquals(1, granted(registry.limiter("now")));
    }

    @Test
    void eachLimitCountsByItsOwnKey() {
        LimiterRegistry registry = registry(
                "limits: { user: { rate: 2/h, key: user }, tenant: { rate: 3/h, key: tenant }, all: { rate: 9/h } }");
        NamedLimiters three = registry.limiter("user", "tenant", "all");
        Request ann = three.request(Map.of("user", "ann", "tenant", "t")::get);
        assertEquals(2, three.quota(ann).remaining());
        assertInstanceOf(Permit.class, three.tryAcquire(ann));
        assertInstanceOf(Permit.class, three.tryAcquire(ann));
        assertEquals("user", refused(three.tryAcquire(ann)).limiter());
        Request ben = three.request(Map.of("user", "ben", "tenant", "t")::get);
        assertInstanceOf(Permit.class, three.tryAcquire(ben));
        assertEquals("tenant", refused(three.tryAcquire(ben)).limiter());
        assertEquals(
                Reason.KEY_MISSING,
                refused(three.tryAcquire(three.request(Map.of("user", "eve")::get)))
                        .reason());
        assertEquals(6, granted(registry.limiter("all")));
    }

    @Test
    void requestsInOppositeOrdersDoNotBlockEachOther() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 1, queue: 9 }, b: { concurrency: 1, queue: 9 } }");
        NamedLimiters forth = registry.limiter("a", "b");
        NamedLimiters back = registry.limiter("b", "a");
        Permit b = assertInstanceOf(Permit.class, registry.limiter("b").tryAcquire());
        CompletableFuture<Decision> first = forth.acquireAsync(Request.ONE, Duration.ofSeconds(5));
        CompletableFuture<Decision> second = back.acquireAsync(Request.ONE, Duration.ofSeconds(5));
        assertFalse(first.isDone());
        b.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, first.join()).release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, second.join()).release(Outcome.SUCCESS);
        grants(registry.limiter("a"), 1);
        grants(registry.limiter("b"), 1);
    }

    @Test
    void aRequestOfSeveralKeepsItsPlaceAmongThoseOfEach() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 1, queue: 9 }, b: { concurrency: 1, queue: 9 } }");
        NamedLimiters both = registry.limiter("a", "b");
        Duration wait = Duration.ofSeconds(5);
        Permit heldA = assertInstanceOf(Permit.class, registry.limiter("a").tryAcquire());
        Permit heldB = assertInstanceOf(Permit.class, registry.limiter("b").tryAcquire());
        CompletableFuture<Decision> beforeA = registry.limiter("a").acquireAsync(Request.ONE, wait);
        CompletableFuture<Decision> joint = both.acquireAsync(Request.ONE, wait);
        CompletableFuture<Decision> afterA = registry.limiter("a").acquireAsync(Request.ONE, wait);
        CompletableFuture<Decision> beforeB = registry.limiter("b").acquireAsync(Request.ONE, wait);
        heldA.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, beforeA.join()).release(Outcome.SUCCESS);
        await().until(() -> registry.limiter("b").status().queue().length() == 2);
        CompletableFuture<Decision> afterB = registry.limiter("b").acquireAsync(Request.ONE, wait);
        heldB.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, beforeB.join()).release(Outcome.SUCCESS);
        Permit both1 = assertInstanceOf(Permit.class, joint.join());
        assertFalse(afterA.isDone() || afterB.isDone());
        both1.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, afterA.join());
        assertInstanceOf(Permit.class, afterB.join());
    }

    @Test
    void aFutureThatOthersCompleteLeavesTheQueue() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: 9 }, b: { concurrency: 1 } }");
        Permit unused = assertInstanceOf(Permit.class, registry.limiter("a").tryAcquire());
        CompletableFuture<Decision> asked = registry.limiter("a", "b").acquireAsync(Request.ONE, Duration.ofSeconds(5));
        assertEquals(1, registry.limiter("a").status().queue().length());
        asked.completeExceptionally(new IllegalStateException("enough"));
        assertEquals(0, registry.limiter("a").status().queue().length());
    }

    @Test
    void theKeyOfSeveralIsThatOfEach() {
        LimiterRegistry registry = registry("limits: { a: { rate: 2/h, key: user }, b: { rate: 9/h, key: ip } }");
        Request several = registry.limiter("a", "b").request(Map.of("user", "ann", "ip", "::1")::get);
        for (int i = 0; i < 2; i++) {
            assertInstanceOf(Permit.class, registry.limiter("a").tryAcquire(Request.forKey("ann")));
        }
        assertEquals(
                Reason.RATE, refused(registry.limiter("a").tryAcquire(several)).reason());
    }

    @Test
    void aKeyThatNoDimensionGivesIsRefusedBesideDimensions() {
        LimiterRegistry registry = registry("limits: { a: { rate: 5/s, key: user }, b: { concurrency: 3 } }");
        registry.limiter("c", Keyed.of(new Semaphore(1), 10));
        String message = assertThrows(IllegalArgumentException.class, () -> registry.limiter("a", "b", "c"))
                .getMessage();
        assertEquals(
                "names must not include limits by the key of a request, were [c], beside limits by the dimensions of a"
                        + " document, were [a]",
                message);
        assertInstanceOf(Permit.class, registry.limiter("b", "c").tryAcquire(Request.forKey("ann")));
    }

    @Test
    void aWaitEndsAtItsDeadlineOrWhenItIsCancelled() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 1, queue: 9 }, b: { concurrency: 1, queue: 9 } }");
        NamedLimiters both = registry.limiter("a", "b");
        Permit b = assertInstanceOf(Permit.class, registry.limiter("b").tryAcquire());
        CompletableFuture<Decision> late = both.acquireAsync(Request.ONE, Duration.ofSeconds(2));
        CompletableFuture<Decision> cancelled = both.acquireAsync(Request.ONE, Duration.ofSeconds(9));
        cancelled.cancel(true);
        time.advance(Duration.ofMillis(1_999));
        assertFalse(late.isDone());
        time.advance(Duration.ofMillis(1));
        assertEquals(Reason.TIMED_OUT, refused(late.join()).reason());
        b.release(Outcome.SUCCESS);
        grants(registry.limiter("a"), 1);
        grants(registry.limiter("b"), 1);
    }

    @Test
    void atMostOneLimitMayBeCountedByAStore() {
        MemoryStore store = new MemoryStore(time);
        LimiterRegistry registry = builder().cluster(store).build();
        registry.limiter("a", new Semaphore(1));
        for (String name : List.of("s", "t")) {
            registry.limiter(
                    name, dev.weir.algorithms.TokenBucket.of(2, Duration.ofHours(1)), Mode.exact(), WhenAway.closed());
        }
        NamedLimiters both = registry.limiter("s", "a");
        Permit held = assertInstanceOf(Permit.class, both.tryAcquire(Request.ONE));
        assertEquals("a", refused(both.tryAcquire(Request.ONE)).limiter(), "the store was not asked");
        held.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, both.tryAcquire(Request.ONE));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> registry.limiter("s", "a", "t"))
                .getMessage()
                .contains("at most one limit that a store counts"));
        assertThrows(IllegalArgumentException.class, () -> registry.limiter("a", "a"));
        assertThrows(IllegalArgumentException.class, () -> registry.limiter("a", "x"));
    }

    @Test
    void nothingIsLostInRandomHistories() {
        Seed.forAll(200, random -> {
            events.clear();
            LimiterRegistry registry = registry("limits: { a: { concurrency: 3, queue: 4 }, b: { concurrency: 2 },"
                    + " c: { concurrency: 4, queue: { capacity: 3, discipline: lifo } } }");
            List<NamedLimiters> sets =
                    List.of(registry.limiter("a", "b"), registry.limiter("c", "a"), registry.limiter("b", "c", "a"));
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            for (int step = 0; step < 60; step++) {
                int choice = random.nextInt(10);
                if (choice < 5) {
                    Duration wait = Duration.ofMillis(random.nextInt(3) * 50L);
                    asked.add(sets.get(random.nextInt(3)).acquireAsync(Request.ONE, wait));
                } else if (choice < 8 && !asked.isEmpty()) {
                    end(asked.remove(random.nextInt(asked.size())));
                } else {
                    time.advance(Duration.ofMillis(random.nextInt(40)));
                }
            }
            asked.forEach(NamedLimitersTest::end);
            grants(registry.limiter("a"), 3);
            grants(registry.limiter("b"), 2);
            grants(registry.limiter("c"), 4);
            registry.close();
        });
    }

    private static void end(CompletableFuture<Decision> asked) {
        if (!asked.cancel(false) && asked.join() instanceof Permit permit) {
            permit.release(Outcome.SUCCESS);
        }
    }
}
