package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.LimiterView;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.status.ConfigEvent.Overridden;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The handle of a name: how it waits, by what key it counts, what a hand may change, and what stays through every change. */
class NamedLimiterTest extends RegistryFixture {
    private static Reason reason(Decision decision) {
        return assertInstanceOf(Rejection.class, decision).reason();
    }

    @Test
    void aCallWithoutAWaitWaitsAsTheDocumentSays() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: 5s } } }");
        NamedLimiter limiter = registry.limiter("a");
        assertEquals(Duration.ofSeconds(5), limiter.maxWait());
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        Thread releasing = new Thread(() -> {
            while (limiter.status().queue().length() == 0) {
                Thread.onSpinWait();
            }
            held.release(Outcome.SUCCESS);
        });
        releasing.start();
        List<String> done = new ArrayList<>();
        limiter.run(() -> done.add("ran"), refused -> done.add("refused: " + refused.reason()));
        releasing.join();
        assertEquals(List.of("ran"), done);
        assertEquals(0, limiter.snapshot().inFlight());

        write("limits: { a: { concurrency: 1 } }");
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        assertThrows(LimitExceededException.class, () -> limiter.run(() -> {}));
        assertEquals(Reason.CONCURRENCY, reason(limiter.acquire(Request.ONE)));
        assertEquals("busy", limiter.call(() -> "done", refused -> "busy"));
    }

    @Test
    void anInterruptedThreadIsRefusedAndStaysInterrupted() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: 5s } } }");
        NamedLimiter limiter = registry.limiter("a");
        Thread.currentThread().interrupt();
        List<Reason> refused = new ArrayList<>();
        limiter.run(() -> {}, rejection -> refused.add(rejection.reason()));
        assertTrue(Thread.interrupted());
        assertEquals(List.of(Reason.CANCELLED), refused);
        assertEquals(1, granted(limiter));
    }

    @Test
    void theHandleAndTheExecutorAreTheSameForLife() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 2, queue: 4, executor: { threads: 2 } } }");
        NamedLimiter limiter = registry.limiter("a");
        var executor = registry.names().executor("a");
        for (String document : List.of(
                "limits: { a: { rate: 3/s } }",
                "removed: [a]\nlimits: {}",
                "limits: { a: { concurrency: 5, key: user } }",
                "limits: {}",
                "limits: { a: { all-of: [ { rate: 9/s }, { concurrency: 2 } ], adaptive: true } }")) {
            write(document);
            assertSame(limiter, registry.limiter("a"), document);
            assertSame(executor, registry.names().executor("a"), document);
        }
        write("removed: [a]\nlimits: {}");
        assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
        write("limits: { a: { concurrency: 2 } }");
        assertEquals(2, granted(limiter));
        assertEquals("done", executor.submit(() -> "done").get());
        registry.close();
        assertEquals(Reason.CANCELLED, reason(limiter.tryAcquire()));
        assertTrue(executor.isShutdown());
    }

    @Test
    void anOverrideIsInForceUntilItsEndAndIsReported() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3 } }");
        NamedLimiter limiter = registry.limiter("a");
        Registration unused = registry.override("a", "concurrency: 7", Duration.ofMinutes(5), "ann", "sale");
        assertEquals(7, granted(limiter));
        Overridden begun = assertInstanceOf(Overridden.class, last());
        assertFalse(begun.ended());
        assertEquals("ann", limiter.status().override().who());
        write("limits: { a: { concurrency: 4 } }");
        assertEquals(7, granted(limiter), "a document does not end it");
        time.advance(Duration.ofMinutes(5));
        assertEquals(4, granted(limiter));
        assertNull(limiter.status().override());
        assertTrue(assertInstanceOf(Overridden.class, last()).ended());
    }

    @Test
    void anOverrideIsUndoneAndTakenOver() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3 } }");
        NamedLimiter limiter = registry.limiter("a");
        Registration first = registry.override("a", "concurrency: 7", Duration.ofMinutes(5), "ann", "sale");
        Registration second = registry.override("a", "concurrency: 8", Duration.ofMinutes(9), "ben", "more sale");
        first.close();
        assertEquals(8, granted(limiter), "the first was replaced");
        time.advance(Duration.ofMinutes(6));
        assertEquals(8, granted(limiter));
        second.close();
        second.close();
        assertEquals(3, granted(limiter));
    }

    @Test
    void anOverrideThatIsWrongChangesNothing() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3 } }");
        NamedLimiter limiter = registry.names().limiter("a", new Semaphore(2), Caps.concurrency(5));
        Duration minute = Duration.ofMinutes(1);
        for (String wrong :
                List.of("", "concurrency: 0", "concurrency: 6", "rate", "concurrency: 4\n  rate: 3/s", "x: 1")) {
            assertThrows(
                    IllegalArgumentException.class, () -> registry.override("a", wrong, minute, "ann", "test"), wrong);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> registry.override("a", "concurrency: 4", Duration.ZERO, "ann", "test"));
        assertThrows(
                IllegalArgumentException.class, () -> registry.override("a", "concurrency: 4", minute, " ", "test"));
        assertThrows(
                IllegalArgumentException.class, () -> registry.override("b", "concurrency: 4", minute, "ann", "test"));
        assertEquals(3, granted(limiter));
        assertNull(limiter.status().override());
    }

    private static long remaining(NamedLimiter limiter, Request request) {
        return Objects.requireNonNull(limiter.quota(request)).remaining();
    }

    @Test
    void aRequestIsCountedByTheKeyOfTheDocumentThatIsInForceWhenItIsAskedFor() {
        LimiterRegistry registry = registry("limits: { a: { rate: 1/h }, b: { rate: 9/h, key: tenant } }");
        NamedLimiter limiter = registry.limiter("a");
        NamedLimiter both = registry.names().limiter("a", "b");
        List<String> calls = new ArrayList<>();
        Function<String, String> ann = dimension -> {
            calls.add(dimension);
            return dimension + "-ann";
        };
        Request first = limiter.request(ann);
        assertEquals(List.of(), calls, "it needs none");
        Request joint = both.request(ann);
        assertEquals(List.of("tenant"), calls);
        for (String key : List.of("", ", key: user", ", key: [user, ip]", ", key: ip", ", key: [ip, user]")) {
            write("limits: { a: { rate: 1/h" + key + " }, b: { rate: 9/h, key: tenant } }");
            boolean isKnown = key.equals(", key: [ip, user]"); // by the same names as before
            assertEquals(!isKnown, limiter.tryAcquire(first.withPriority(3)) instanceof Permit, key);
            assertEquals(
                    Reason.RATE, reason(limiter.tryAcquire(limiter.request(dimension -> dimension + "-ann"))), key);
            assertEquals(0, remaining(limiter, first), key);
            assertEquals(Reason.RATE, reason(both.tryAcquire(joint)), key);
        }
        assertEquals(List.of("tenant", "user", "user", "ip", "ip"), calls, "each once for each request");
        assertEquals(0, remaining(limiter, Request.forKey(Dimensions.of("ip", "ip-ann", "user", "user-ann"))));
    }

    @Test
    void onceItsQueueIsTakenOffALimitByKeyCountsEveryWayOfAskingByTheSameKey() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { rate: 4/h, key: user, queue: 5 } }");
        NamedLimiter limiter = registry.limiter("a");
        write("limits: { a: { rate: 4/h, key: user } }");
        Request ann = limiter.request(dimension -> "ann");
        assertInstanceOf(Permit.class, limiter.tryAcquire(ann));
        assertInstanceOf(Permit.class, limiter.acquire(ann, Duration.ofHours(1)));
        assertInstanceOf(Permit.class, limiter.acquireAsync(ann).join());
        limiter.run(ann, () -> {});
        assertEquals(Reason.RATE, reason(limiter.acquire(ann)));
        assertEquals(0, remaining(limiter, ann));
        assertEquals(0, remaining(limiter, Request.forKey("ann")));
    }

    @Test
    void aDimensionThatCannotBeGivenAnyMoreIsMissing() {
        LimiterRegistry registry = registry("limits: { a: { rate: 1/h, key: user } }");
        NamedLimiter limiter = registry.limiter("a");
        Request late = limiter.request(dimension -> {
            if (dimension.equals("ip")) {
                throw new IllegalStateException("the request has ended");
            }
            return "ann";
        });
        write("limits: { a: { rate: 1/h, key: ip } }");
        assertEquals(Reason.KEY_MISSING, reason(limiter.tryAcquire(late)));
        write("limits: { a: { rate: 1/h, key: ip, key-missing: share } }");
        assertInstanceOf(Permit.class, limiter.tryAcquire(late));
    }

    @Test
    void whatWaitsWithDimensionsIsCountedByAKeyThatIsAdded() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: 5 } }");
        NamedLimiter limiter = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        CompletableFuture<Decision> ann = limiter.acquireAsync(limiter.request(dimension -> "ann"));
        CompletableFuture<Decision> ben = limiter.acquireAsync(limiter.request(dimension -> "ben"));
        write("limits: { a: { concurrency: 1, queue: 5, key: user } }");
        await().until(() -> ann.isDone() && ben.isDone());
        assertInstanceOf(Permit.class, ann.join());
        assertInstanceOf(Permit.class, ben.join());
        assertEquals(3, limiter.snapshot().inFlight());
        held.release(Outcome.SUCCESS);
        assertEquals(2, limiter.snapshot().inFlight());
    }

    @Test
    void whatIsLeftOfABurstIsToldInFull() {
        LimiterRegistry registry = registry("limits: { a: { rate: 1/h, burst: 10 } }");
        NamedLimiter limiter = registry.limiter("a");
        assertEquals(10, remaining(limiter, Request.ONE));
        assertEquals(10, granted(limiter));
    }

    @Test
    void aRequestWithoutTheKeyIsRefusedAsSuch() {
        LimiterRegistry registry = registry("limits: { a: { rate: 2/s, key: [user, ip] } }");
        NamedLimiter limiter = registry.limiter("a");
        Map<String, String> both = Map.of("user", "ann", "ip", "::1");
        assertInstanceOf(Permit.class, limiter.tryAcquire(limiter.request(both::get)));
        assertEquals(1, remaining(limiter, Request.forKey(Dimensions.of("user", "ann", "ip", "::1"))));
        assertEquals(Reason.KEY_MISSING, reason(limiter.tryAcquire(limiter.request(Map.of("ip", "::1")::get))));
        for (Object shape : List.of(
                "ann",
                Dimensions.of("user", "ann"),
                Dimensions.of("ip", "::1", "tenant", "b"),
                Dimensions.of("ip", "::1", "user", ""),
                KeyValues.of("ann", "::1"),
                7,
                List.of("ann", "x"))) {
            assertEquals(Reason.KEY_MISSING, reason(limiter.tryAcquire(Request.forKey(shape))), shape::toString);
        }
    }

    @Test
    void requestsWithoutTheKeyMayShareOneOrBeSkipped() {
        LimiterRegistry registry = registry("limits: { a: { rate: 2/s, key: user, key-missing: share } }");
        NamedLimiter limiter = registry.limiter("a");
        assertEquals(2, granted(limiter));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("ann")));
        assertEquals(Reason.RATE, reason(limiter.tryAcquire(limiter.request(any -> null))));
        write("limits: { a: { rate: 2/s, key: user, key-missing: skip } }");
        for (int i = 0; i < 10; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire()).release(Outcome.SUCCESS);
        }
    }

    @Test
    void theOutcomeOfWorkThatThrowsIsThatOfTheRegistrysClassifierThroughEveryChange() {
        source.write("limits: { a: { concurrency: 2 } }");
        LimiterRegistry registry =
                builder().outcomes(name -> thrown -> Outcome.DROPPED).build();
        List<Outcome> outcomes = new ArrayList<>();
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.observe(new LimiterObserver() {
                    @Override
                    public void onReleased(Request request, Outcome outcome, long heldNanos) {
                        outcomes.add(outcome);
                    }
                });
            }
        });
        NamedLimiter limiter = registry.limiter("a");
        for (String next : List.of("{ concurrency: 2, queue: 3 }", "{ concurrency: 4, algorithm: counter }")) {
            write("limits: { a: " + next + " }");
            assertThrows(
                    IllegalStateException.class,
                    () -> limiter.run(() -> {
                        throw new IllegalStateException("work");
                    }));
        }
        assertEquals(List.of(Outcome.DROPPED, Outcome.DROPPED), outcomes);
    }

    @Test
    void trackedPermitsAndHotKeysSurviveEveryChange() {
        LimiterRegistry registry = registry("limits: { a: { rate: 1M/s, key: user, hot-keys: true } }");
        NamedLimiter limiter = registry.limiter("a");
        for (String next : List.of(
                "{ rate: 2M/s, key: user, hot-keys: true }",
                "{ rate: 3M/s, key: user }",
                "{ rate: 1M/s, key: user, hot-keys: true, warm-up: 1s }",
                "{ all-of: [ { rate: 1M/s, key: user }, { rate: 1M/s } ], hot-keys: true }")) {
            write("limits: { a: " + next + " }");
            assertEquals(List.of(), changed().problems(), next);
            for (int i = 0; i < 1000; i++) {
                limiter.tryAcquire(Request.forKey("ann"));
            }
        }
        assertEquals("ann", limiter.status().hotKeys().heaviest(1).get(0).label());

        write("limits: { a: { concurrency: 3, track-permits: 1 } }");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        time.advance(Duration.ofMinutes(1));
        assertEquals(1, limiter.heldLongerThan(Duration.ofSeconds(30)).size());
        write("limits: { a: { concurrency: 4, queue: 3, track-permits: 1 } }");
        assertEquals(1, limiter.heldLongerThan(Duration.ofSeconds(30)).size());
        held.release(Outcome.SUCCESS);
        assertEquals(0, limiter.heldLongerThan(Duration.ZERO).size());
    }

    @Test
    void tasksOfAnExecutorFollowTheNameToTheStoreAndBack() throws Exception {
        MemoryStore store = new MemoryStore(time);
        source.write("limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: 1h } } }");
        LimiterRegistry registry = builder().store(store).build();
        List<Runnable> started = new ArrayList<>();
        var executor = registry.names().executor("a", started::add);
        NamedLimiter limiter = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        var waits = executor.submit(() -> "done");
        write("limits: { a: { scope: store, rate: 1/s, when-away: open } }");
        Thread worker = new Thread(started.remove(0));
        worker.start();
        assertEquals("done", waits.get());
        worker.join();
        held.release(Outcome.SUCCESS);

        write("limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: 1h } } }");
        assertEquals(1, granted(limiter));
    }
}
