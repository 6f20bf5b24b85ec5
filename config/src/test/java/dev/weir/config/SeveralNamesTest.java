package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.store.Mode;
import dev.weir.store.WhenAway;
import dev.weir.testkit.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several names for one request: granted by all, or nothing is taken from any. */
@Tag("property")
class SeveralNamesTest extends RegistryFixture {
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
        NamedLimiter both = registry.names().limiter("day", "now");
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
        NamedLimiter three = registry.names().limiter("user", "tenant", "all");
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
    void aGroupIsANamedLimiterOfAllItsNames() throws Exception {
        LimiterRegistry registry =
                registry("limits: { b: { rate: 3/h }, a: { concurrency: 2, queue: { capacity: 9, max-wait: 5s } } }");
        NamedLimiter both = registry.names().limiter("b", "a");
        assertEquals("a+b", both.name());
        assertEquals(List.of(registry.limiter("b"), registry.limiter("a")), both.limits());
        assertEquals(List.of(registry.limiter("b")), registry.limiter("b").limits());
        assertEquals(Duration.ofSeconds(5), both.maxWait());
        assertEquals(AllOf.of(new Semaphore(2), registry.limiter("b").spec()), both.spec());
        assertEquals(both.spec(), both.snapshot().spec());
        assertEquals("a+b", both.status().name());
        assertEquals(2, both.quota(Request.ONE).limit());
        assertThrows(IllegalStateException.class, both::counts);
        assertEquals(List.of(), both.heldLongerThan(Duration.ZERO));
        Limiter limiter = both;
        assertEquals("done", limiter.call(() -> "done"));
        assertEquals(
                "done",
                both.callAsync(Request.ONE, () -> CompletableFuture.completedFuture("done"))
                        .join());
        List<String> refused = new ArrayList<>();
        limiter.run(() -> {}, rejection -> refused.add(rejection.limiter()));
        limiter.run(() -> {}, rejection -> refused.add(rejection.limiter()));
        assertEquals(List.of("b"), refused);
        registry.close();
        assertEquals(Reason.CANCELLED, refused(both.tryAcquire()).reason());
    }

    @Test
    void aThreadThatWaitsHoldsWhatWasGrantedAndReturnsItWhenItIsInterrupted() {
        LimiterRegistry registry =
                registry("limits: { a: { rate: 5/h }, b: { concurrency: 1, queue: { capacity: 9, max-wait: 5s } } }");
        NamedLimiter both = registry.names().limiter("a", "b");
        Permit held = assertInstanceOf(Permit.class, registry.limiter("b").tryAcquire());
        AtomicReference<Decision> decided = new AtomicReference<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                decided.set(both.acquire(Request.ONE));
            } catch (InterruptedException e) {
                thrown.set(e);
            }
        });
        thread.start();
        await().until(() -> registry.limiter("b").status().queue().length() == 1);
        assertEquals(4, registry.limiter("a").quota(Request.ONE).remaining());
        thread.interrupt();
        await().until(() -> thrown.get() != null);
        assertEquals(0, registry.limiter("b").status().queue().length());
        assertEquals(5, registry.limiter("a").quota(Request.ONE).remaining(), "refunded");

        Thread next = new Thread(() -> {
            try {
                decided.set(both.acquire(Request.ONE.refundable(), Duration.ofHours(1)));
            } catch (InterruptedException e) {
                thrown.set(e);
            }
        });
        next.start();
        await().until(() -> registry.limiter("b").status().queue().length() == 1);
        held.release(Outcome.SUCCESS);
        await().until(() -> decided.get() instanceof Permit);
        ((Permit) decided.get()).release(Outcome.CANCELLED);
        assertEquals(5, registry.limiter("a").quota(Request.ONE).remaining(), "cancelled");
        assertEquals(1, granted(registry.limiter("b")));
    }

    @Test
    void R6_theCallersCancelRefundsWhatItsRequestAskedFor() {
        LimiterRegistry registry = registry("limits: { a: { rate: 5/h }, b: { rate: 5/h, key: user } }");
        NamedLimiter both = registry.names().limiter("a", "b");
        for (Request request : List.of(both.request(Map.of("user", "ann")::get), Request.forKey("ann"))) {
            for (int i = 0; i < 9; i++) {
                assertTrue(assertInstanceOf(Permit.class, both.tryAcquire(request.refundable()))
                        .release(Outcome.CANCELLED));
            }
            assertTrue(assertInstanceOf(Permit.class, both.tryAcquire(request)).release(Outcome.CANCELLED));
        }
        assertEquals(3, registry.limiter("a").quota(Request.ONE).remaining(), "2 of 5 are spent");
    }

    @Test
    void aRequestSaysWhatEachNameCosts() {
        LimiterRegistry registry = registry("limits: { tokens: { rate: 25/h, key: user }, slots: { concurrency: 4 } }");
        NamedLimiter both = registry.names().limiter("tokens", "slots");
        Function<String, String> ann = Map.of("user", "ann")::get;
        assertEquals(
                Reason.NEVER,
                refused(both.tryAcquire(both.request(ann).withPermits(10))).reason(),
                "10 at once of 4");
        Request ten = both.request(ann, Map.of("tokens", 10L));
        assertEquals(4, both.quota(ten).remaining());
        Permit first = assertInstanceOf(Permit.class, both.tryAcquire(ten));
        assertEquals(15, registry.limiter("tokens").quota(Request.forKey("ann")).remaining());
        assertEquals(3, registry.limiter("slots").quota(Request.ONE).remaining());
        assertInstanceOf(
                Permit.class,
                both.acquireAsync(ten.withPermits(2), Duration.ofSeconds(1)).join());
        assertEquals(
                1, registry.limiter("slots").quota(Request.ONE).remaining(), "the others cost what the request does");
        assertEquals("tokens", refused(both.tryAcquire(ten)).limiter());
        assertEquals(1, registry.limiter("slots").quota(Request.ONE).remaining());
        first.release(Outcome.SUCCESS);
        assertEquals(2, registry.limiter("slots").quota(Request.ONE).remaining());

        NamedLimiter tokens = registry.limiter("tokens");
        assertInstanceOf(Permit.class, tokens.tryAcquire(tokens.request(ann, Map.of("tokens", 3L))));
        assertInstanceOf(Permit.class, tokens.tryAcquire(both.request(ann, Map.of("tokens", 2L))));
        assertEquals(0, tokens.quota(Request.forKey("ann")).remaining());
        assertEquals(
                "costs must be >= 1 and of [slots, tokens], was 1 of token",
                assertThrows(IllegalArgumentException.class, () -> both.request(ann, Map.of("token", 1L)))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> both.request(ann, Map.of("tokens", 0L)));
        assertThrows(IllegalArgumentException.class, () -> tokens.request(ann, Map.of("slots", 1L)));
    }

    @Test
    void requestsInOppositeOrdersDoNotBlockEachOther() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 1, queue: 9 }, b: { concurrency: 1, queue: 9 } }");
        NamedLimiter forth = registry.names().limiter("a", "b");
        NamedLimiter back = registry.names().limiter("b", "a");
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
        NamedLimiter both = registry.names().limiter("a", "b");
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
        CompletableFuture<Decision> asked =
                registry.names().limiter("a", "b").acquireAsync(Request.ONE, Duration.ofSeconds(5));
        assertEquals(1, registry.limiter("a").status().queue().length());
        asked.completeExceptionally(new IllegalStateException("enough"));
        assertEquals(0, registry.limiter("a").status().queue().length());
    }

    @Test
    void theKeyOfSeveralIsThatOfEach() {
        LimiterRegistry registry = registry("limits: { a: { rate: 2/h, key: user }, b: { rate: 9/h, key: ip } }");
        Request several = registry.names().limiter("a", "b").request(Map.of("user", "ann", "ip", "::1")::get);
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
        String message = assertThrows(
                        IllegalArgumentException.class, () -> registry.names().limiter("a", "b", "c"))
                .getMessage();
        assertEquals(
                "names must not include limits by the key of a request, were [c], beside limits by the dimensions of a"
                        + " document, were [a]",
                message);
        assertInstanceOf(Permit.class, registry.names().limiter("b", "c").tryAcquire(Request.forKey("ann")));
    }

    @Test
    void aWaitEndsAtItsDeadlineOrWhenItIsCancelled() {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 1, queue: 9 }, b: { concurrency: 1, queue: 9 } }");
        NamedLimiter both = registry.names().limiter("a", "b");
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
        LimiterRegistry registry = builder().store(store).build();
        registry.limiter("a", new Semaphore(1));
        for (String name : List.of("s", "t")) {
            registry.names()
                    .limiter(
                            name,
                            dev.weir.algorithms.TokenBucket.of(2, Duration.ofHours(1)),
                            Mode.exact(),
                            WhenAway.closed());
        }
        NamedLimiter both = registry.names().limiter("s", "a");
        Permit held = assertInstanceOf(Permit.class, both.tryAcquire(Request.ONE));
        assertEquals("a", refused(both.tryAcquire(Request.ONE)).limiter(), "the store was not asked");
        held.release(Outcome.SUCCESS);
        assertInstanceOf(Permit.class, both.tryAcquire(Request.ONE));
        assertTrue(assertThrows(
                        IllegalArgumentException.class, () -> registry.names().limiter("s", "a", "t"))
                .getMessage()
                .contains("at most one limit that a store counts"));
        assertThrows(IllegalArgumentException.class, () -> registry.names().limiter("a", "a"));
        assertThrows(IllegalArgumentException.class, () -> registry.names().limiter("a", "x"));
    }

    @Test
    void nothingIsLostInRandomHistories() {
        Seed.forAll(200, random -> {
            events.clear();
            LimiterRegistry registry = registry("limits: { a: { concurrency: 3, queue: 4 }, b: { concurrency: 2 },"
                    + " c: { concurrency: 4, queue: { capacity: 3, discipline: lifo } } }");
            List<NamedLimiter> sets = List.of(
                    registry.names().limiter("a", "b"),
                    registry.names().limiter("c", "a"),
                    registry.names().limiter("b", "c", "a"));
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
            asked.forEach(SeveralNamesTest::end);
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
