package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Problem;
import dev.weir.share.Instances.Place;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Mode;
import dev.weir.store.StoreLimiter;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Limits that a store counts for all instances: as documents and code say, and as they change. */
class RegistryStoreTest extends RegistryFixture {
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final StrategySpec FIVE = TokenBucket.of(5, Duration.ofSeconds(1));

    private final MemoryStore store = new MemoryStore(time);

    @Override
    LimiterRegistry.Builder builder() {
        return super.builder().store(store);
    }

    private static String search(String rest) {
        return "limits: { search: { scope: store, " + rest + " } }";
    }

    private static int granted(AsyncLimiter limiter, Request request) throws InterruptedException {
        int granted = 0;
        while (limiter.acquire(request, AT_ONCE) instanceof Permit) {
            granted++;
        }
        return granted;
    }

    private static int granted(AsyncLimiter limiter) throws InterruptedException {
        return granted(limiter, Request.ONE);
    }

    private static Reason refused(AsyncLimiter limiter, Request request) throws InterruptedException {
        return assertInstanceOf(Rejection.class, limiter.acquire(request, AT_ONCE))
                .reason();
    }

    private List<String> problems() {
        return changed().problems().stream().map(Problem::toString).toList();
    }

    @Test
    void theStoreCountsWhatTheDocumentSays() throws Exception {
        LimiterRegistry registry =
                registry(search("rate: 5/s, mode: batched, when-away: { name: local, instances: 8 }"));
        AsyncLimiter search = registry.limiter("search");

        assertEquals(5, granted(search));
        assertEquals(Mode.batched(1), store.only().mode());
        assertEquals(
                8,
                ((WhenAway.Local) store.only().whenAway()).instances().place().count());
        assertEquals(List.of("search"), registry.names().names());
        assertSame(search, registry.limiter("search"));
        assertEquals("search", registry.limiter("search").name());
        assertEquals(FIVE, registry.limiter("search").snapshot().spec());
    }

    @Test
    void aChangedLimitReconfiguresTheLimiterAndWhatWasUsedStaysUsed() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        MemoryStore.Made first = store.only();
        assertEquals(5, granted(search));

        source.write(search("rate: 8/s, when-away: open"));
        assertEquals(List.of(), problems());
        assertSame(first, store.only());
        assertEquals(3, granted(search));
    }

    @Test
    void anOverrideIsAPatchOverWhatTheStoreCounts() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, key: user, mode: verdict, when-away: open"));
        NamedLimiter search = registry.limiter("search");
        Registration hand = registry.override("search", "rate: 3/s", Duration.ofHours(1), "ann", "test");
        assertEquals(Mode.verdict(), store.only().mode());
        assertEquals(3, granted(search, search.request(Map.of("user", "ann")::get)));
        assertEquals(3, granted(search, search.request(Map.of("user", "ben")::get)));
        hand.close();
        Registration shut = registry.override("search", "algorithm: closed", Duration.ofHours(1), "ann", "test");
        assertEquals(0, granted(search, search.request(Map.of("user", "eve")::get)));
        assertEquals(
                Map.of("algorithm", "closed", "key", "user"), search.status().settings());
        shut.close();
        assertEquals(5, granted(search, search.request(Map.of("user", "eve")::get)));
        registry.names().limiter("code", FIVE, Mode.exact(), WhenAway.open());
        assertTrue(assertThrows(
                        IllegalArgumentException.class,
                        () -> registry.override("code", "rate: 3/s", Duration.ofHours(1), "ann", "test"))
                .getMessage()
                .contains("entry must have key"));
    }

    @Test
    void anotherModeOrAwayMakesAnotherLimiterBehindTheSameHandle() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        assertEquals(2, granted(search, Request.of(2)));

        source.write(search("rate: 5/s, mode: verdict, when-away: open"));
        assertEquals(Mode.verdict(), store.only().mode());
        assertEquals(1, granted(search));

        source.write(search("rate: 6/s, mode: verdict, when-away: closed"));
        assertEquals(WhenAway.closed(), store.only().whenAway());
        assertEquals(1, granted(search));
    }

    @Test
    void theSameDocumentMakesNoLimiter() {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: { name: local, instances: 8 }"));
        MemoryStore.Made first = store.only();
        int made = store.made.size();
        for (int i = 0; i < 10; i++) {
            source.write("# " + i + "\n" + search("rate: 5/s, when-away: { name: local, instances: 8 }"));
        }
        assertSame(first, store.only());
        assertEquals(made, store.made.size());
        assertEquals(List.of("search"), registry.names().names());
    }

    @Test
    void aLimitWithoutKeyCountsAllRequestsAsOne() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        assertEquals(5, granted(search, Request.forKey("ann")));
        assertEquals(0, granted(search, Request.forKey("ben")));

        source.write(search("rate: 5/s, key: user, when-away: open"));
        Request ann = registry.limiter("search").request(dimension -> dimension + "-ann");
        assertEquals(5, granted(search, ann));
        assertEquals(5, granted(search, Request.forKey("ben")));
        assertEquals(Reason.KEY_MISSING, refused(search, Request.ONE));
        assertEquals(Reason.KEY_MISSING, refused(search, Request.forKey("")));
        assertEquals(
                Reason.KEY_MISSING,
                assertInstanceOf(
                                Rejection.class,
                                search.acquireAsync(Request.ONE, AT_ONCE).join())
                        .reason());
    }

    @Test
    void aStoreCountsByTheValuesInTheOrderOfTheDocument() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, key: user, when-away: open"));
        NamedLimiter search = registry.limiter("search");
        Map<String, String> values = Map.of("user", "ann", "ip", "::1");
        assertEquals(2, granted(search, search.request(values::get).withPermits(2)));
        assertEquals(1, granted(search, Request.forKey("ann")));
        assertEquals(0, granted(search, Request.forKey(Dimensions.of("ip", "::1", "user", "ann"))));
        assertEquals(Set.of("ann"), store.keys("search"));

        source.write(search("rate: 5/s, key: [user, ip], when-away: open"));
        assertEquals(2, granted(search, search.request(values::get).withPermits(2)));
        assertEquals(1, granted(search, Request.forKey(Dimensions.of("ip", "::1", "user", "ann", "url", "/"))));
        assertEquals(Reason.KEY_MISSING, refused(search, Request.forKey("ann")));
        assertEquals(Set.of("ann", KeyValues.of("ann", "::1")), store.keys("search"));
    }

    @Test
    void aRemovedLimitRefusesUntilItReturns() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        NamedLimiter search = registry.limiter("search");
        source.write("removed: [search]\nlimits: {}");
        assertEquals(Reason.CANCELLED, refused(search, Request.ONE));
        assertEquals(List.of(), store.open());
        assertEquals(List.of(), registry.names().names());

        source.write(search("rate: 5/s, when-away: open"));
        assertEquals(5, granted(search));
    }

    @Test
    void aDefaultIsInForceWhereTheDocumentHasNone() throws Exception {
        LimiterRegistry registry = registry("limits: {}");
        AsyncLimiter search = registry.names().limiter("search", FIVE, Mode.exact(), WhenAway.closed());
        assertEquals(5, granted(search, Request.forKey("ann")));
        assertEquals(5, granted(search, Request.forKey("ben")));

        source.write(search("rate: 7/s, key: true, when-away: closed"));
        assertEquals(2, granted(search, Request.forKey("ann")));
        source.write("limits: {}");
        assertEquals(FIVE, store.only().spec());
        assertSame(search, registry.names().limiter("search", FIVE, Mode.verdict(), WhenAway.closed()));
        assertEquals(Mode.verdict(), store.only().mode());
    }

    @Test
    void whatTheStoreCannotCountIsAProblemAndTheLastGoodStays() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        source.write(
                "limits:\n  other: { rate: 1/s }\n  search: { scope: store, rate: 9/s, warm-up: 1s, when-away: open }");

        assertEquals(List.of("memory:3:11: search: warm-up must not be given: the store cannot count it"), problems());
        assertEquals(5, granted(search));
        assertEquals(List.of("other", "search"), registry.names().names());

        assertThrows(
                IllegalArgumentException.class,
                () -> registry.names()
                        .limiter("new", WarmUp.of(FIVE, Duration.ofSeconds(1)), Mode.exact(), WhenAway.open()));
        assertEquals(List.of("other", "search"), registry.names().names());
    }

    @Test
    void withoutAStoreALimitForAllInstancesIsAProblem() {
        source.write("limits:\n  a: { rate: 1/s }\n  search: { scope: store, rate: 9/s, when-away: open }");
        LimiterRegistry registry = super.builder().build();
        assertEquals(
                List.of("memory:3:11: search: scope must be local, because code gives the registry no store"),
                problems());
        assertEquals(List.of("a"), registry.names().names());
        assertThrows(
                IllegalArgumentException.class,
                () -> registry.names().limiter("b", FIVE, Mode.exact(), WhenAway.open()));
    }

    @Test
    void localNeedsTheNumberOfInstancesFromTheDocumentOrFromCode() {
        source.write(search("rate: 5/s, when-away: local"));
        LimiterRegistry without = builder().build();
        assertEquals(
                List.of(
                        "memory:1:19: search: when-away must say the number of instances, because code does not give it"),
                problems());
        without.close();

        LimiterRegistry with = builder().instances(() -> new Place(2, 4)).build();
        assertEquals(List.of(), problems());
        assertEquals(
                new Place(2, 4),
                ((WhenAway.Local) store.only().whenAway()).instances().place());
        with.close();
        assertEquals(List.of(), store.open());
    }

    @Test
    void theScopeOfALimitMayChangeBehindTheSameHandle() throws Exception {
        LimiterRegistry registry = registry("limits: { search: { rate: 3/s } }");
        NamedLimiter search = registry.limiter("search");
        assertEquals(2, granted(search, Request.of(2)) + granted(search));
        source.write(search("rate: 5/s, when-away: open"));
        assertEquals(List.of(), problems());
        assertEquals(5, granted(search));

        source.write("limits: { search: { rate: 3/s } }");
        assertEquals(List.of(), store.open());
        assertSame(search, registry.limiter("search"));
        assertEquals(0, granted(search), "what this instance granted before is not forgotten");
        time.advance(Duration.ofSeconds(1));
        assertEquals(3, granted(search));
        assertEquals(List.of("search"), registry.names().names());
    }

    @Test
    void aRequestThatWaitsInAQueueIsAskedForAgainInTheStore() {
        String local = "limits: { search: { rate: 1/h, burst: 1, queue: { capacity: 9, max-wait: 1h } } }";
        LimiterRegistry registry = registry(local);
        NamedLimiter search = registry.limiter("search");
        assertInstanceOf(Permit.class, search.tryAcquire());
        var waits = search.acquireAsync(Request.ONE);
        assertFalse(waits.isDone());
        source.write(search("rate: 1/s, when-away: open"));
        assertInstanceOf(Permit.class, waits.join());

        var inStore = search.acquireAsync(Request.ONE, Duration.ofHours(2));
        source.write(local);
        assertFalse(inStore.isDone());
        time.advance(Duration.ofHours(1).plusSeconds(1));
        assertInstanceOf(Permit.class, inStore.join());
    }

    @Test
    void aLimitOfAnotherScopeThatCannotBeBuiltLeavesTheLastGoodOne() {
        LimiterRegistry registry = registry("limits: { search: { rate: 3/s } }");
        source.write(search("rate: 5/s, warm-up: 1s, when-away: open"));
        assertEquals(1, changed().problems().size());
        assertEquals(3, granted(registry.limiter("search")));
    }

    @Test
    void theDocumentSaysTheScopeAlsoOfWhatCodeDeclares() throws Exception {
        LimiterRegistry registry = registry("limits: {}");
        NamedLimiter search = registry.limiter("search", new Semaphore(4));
        NamedLimiter mail = registry.names().limiter("mail", FIVE, Mode.exact(), WhenAway.open());
        source.write("limits:\n  search: { scope: store, rate: 2/s, when-away: open }\n  mail: { rate: 1/s }");
        assertEquals(List.of(), problems());
        assertEquals(2, granted(search));
        assertEquals(1, granted(mail));

        source.write("limits: {}");
        assertInstanceOf(Permit.class, search.tryAcquire());
        assertEquals(4, search.snapshot().limit());
        assertEquals(5, granted(mail));
    }

    @Test
    void aFaultyDocumentChangesNothing() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        MemoryStore.Made first = store.only();
        for (String faulty : List.of(
                "limits: { search: { rate: 9/s, scope: store } }",
                "limits: { search: { rate: 9/s, scope: [], when-away: open } }",
                "limits: { search: { rate: 9/s, scope: store, when-away: { name: [] } } }",
                "limits: { search: { scope: store, when-away: open } }",
                "limits: { search: { rate: 9/s, scope: store, when-away: open, mode: { name: batched, max-unused: -1 } } }",
                "limits: { search: { rate: 9/s, scope: store, when-away: open, mode: { batched: 1 } } }",
                "limits: { search: { concurrency: 9, scope: store, when-away: local, queue: 3 } }",
                "limits: [ 1 ]",
                "limits: { search: 3 }")) {
            source.write(faulty);
            assertSame(first, store.only(), faulty);
            assertEquals(FIVE, first.spec(), faulty);
        }
        assertEquals(5, granted(search));
    }

    @Test
    void aStoreThatThrowsChangesNothing() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        source.write(search("rate: 5/s, when-away: open"));
        LimiterRegistry registry = super.builder()
                .store((name, spec, mode, whenAway) -> {
                    if (broken.get()) {
                        throw new IllegalStateException("broken");
                    }
                    return store.limiter(name, spec, mode, whenAway);
                })
                .build();
        broken.set(true);
        source.write(search("rate: 5/s, mode: verdict, when-away: open"));

        assertEquals(List.of("memory:1:19: search: cannot be built: broken"), problems());
        assertEquals(5, granted(registry.limiter("search")));
    }

    @Test
    void aRequestThatWaitsIsAskedForAgainWhenItsLimiterIsReplaced() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        assertEquals(5, granted(search));
        var waits = search.acquireAsync(Request.ONE, Duration.ofSeconds(9));
        var shortly = search.acquireAsync(Request.ONE, Duration.ofMillis(500));
        time.advance(Duration.ofMillis(100));
        source.write(search("rate: 5/s, mode: verdict, when-away: open"));
        assertEquals(2, store.only().waiting.size());

        time.advance(Duration.ofMillis(450));
        source.write(search("rate: 5/s, mode: exact, when-away: open"));
        assertInstanceOf(Permit.class, waits.join());
        assertInstanceOf(Permit.class, shortly.join());

        assertEquals(0, granted(search));
        var late = search.acquireAsync(Request.ONE, Duration.ofMillis(5));
        time.advance(Duration.ofMillis(10));
        source.write(search("rate: 5/s, mode: verdict, when-away: open"));
        assertEquals(Reason.RATE, ((Rejection) late.join()).reason());

        var removed = search.acquireAsync(Request.ONE, Duration.ofSeconds(9));
        source.write("removed: [search]\nlimits: {}");
        assertEquals(Reason.CANCELLED, ((Rejection) removed.join()).reason());
    }

    @Test
    void aRequestThatTheNextLimiterDoesNotAcceptIsAnswered() throws Exception {
        IllegalArgumentException refusal = new IllegalArgumentException("key must be a String");
        source.write(search("rate: 5/s, when-away: open"));
        LimiterRegistry registry = super.builder()
                .store((name, spec, mode, whenAway) -> {
                    StoreLimiter made = store.limiter(name, spec, mode, whenAway);
                    return mode.equals(Mode.exact()) ? made : new Picky(made, refusal);
                })
                .build();
        AsyncLimiter search = registry.limiter("search");
        assertEquals(5, granted(search));
        var waits = search.acquireAsync(Request.ONE, Duration.ofSeconds(9));
        source.write(search("rate: 5/s, mode: verdict, when-away: open"));
        assertTrue(waits.isDone());
        assertEquals(
                refusal, assertThrows(CompletionException.class, waits::join).getCause());
    }

    /** Throws for each request. */
    private record Picky(StoreLimiter limiter, IllegalArgumentException refusal) implements StoreLimiter {
        @Override
        public String name() {
            return limiter.name();
        }

        @Override
        public StrategySpec spec() {
            return limiter.spec();
        }

        @Override
        public void reconfigure(StrategySpec next) {
            limiter.reconfigure(next);
        }

        @Override
        public void close() {
            limiter.close();
        }

        @Override
        public Decision acquire(Request request, Duration maxWait) {
            throw refusal;
        }

        @Override
        public CompletableFuture<Decision> acquireAsync(Request request, Duration maxWait) {
            throw refusal;
        }
    }

    @Test
    void aReplacedLimiterDoesNotExtendTheDeadlineOfARequest() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        assertEquals(5, granted(search));
        var waits = search.acquireAsync(new Request(5, 0, null, 500_000_000), Duration.ofSeconds(9));
        time.advance(Duration.ofMillis(510));
        source.write(search("rate: 5/s, mode: verdict, when-away: open"));
        assertTrue(waits.isDone());
        assertEquals(Reason.RATE, ((Rejection) waits.join()).reason());
    }

    @Test
    void cancellingARequestCancelsTheOneThatTheStoreHas() throws Exception {
        LimiterRegistry registry = registry(search("rate: 5/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        assertEquals(5, granted(search));
        var first = search.acquireAsync(Request.ONE, Duration.ofSeconds(9));
        var second = search.acquireAsync(Request.ONE, Duration.ofSeconds(9));
        first.cancel(true);
        assertTrue(store.only().waiting.get(0).isCancelled());

        source.write(search("rate: 5/s, mode: verdict, when-away: open"));
        assertEquals(1, store.only().waiting.size());
        second.complete(new Rejection("test", Reason.SHED, 0, 0));
        assertTrue(store.only().waiting.get(0).isCancelled());
    }

    @Test
    void noRequestIsRefusedBecauseTheLimiterIsReplaced() throws Exception {
        LimiterRegistry registry = registry(search("rate: 1M/s, when-away: open"));
        AsyncLimiter search = registry.limiter("search");
        AtomicLong cancelled = new AtomicLong();
        AtomicLong asked = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        var threads = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 2; i++) {
            boolean isAsync = i == 0;
            threads.execute(() -> {
                while (!done.get()) {
                    var decision =
                            isAsync ? search.acquireAsync(Request.ONE, AT_ONCE).join() : acquired(search);
                    asked.incrementAndGet();
                    if (decision instanceof Rejection rejection && rejection.reason() == Reason.CANCELLED) {
                        cancelled.incrementAndGet();
                    }
                }
            });
        }
        for (int i = 0; i < 300 || asked.get() < 1000; i++) {
            source.write(search("rate: 1M/s, mode: " + (i % 2 == 0 ? "verdict" : "exact") + ", when-away: open"));
        }
        done.set(true);
        threads.shutdown();
        assertTrue(threads.awaitTermination(2, TimeUnit.MINUTES));
        assertEquals(0, cancelled.get());
        assertEquals(1, store.open().size());
    }

    private static Decision acquired(AsyncLimiter limiter) {
        try {
            return limiter.acquire(Request.ONE, AT_ONCE);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
