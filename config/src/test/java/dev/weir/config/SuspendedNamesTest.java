package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent.Suspended;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that are suspended, whatever answers them and whatever their document says meanwhile. */
class SuspendedNamesTest extends RegistryFixture {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String LOCAL = "limits: { api: { concurrency: 5 } }";
    private static final String QUEUED = "limits: { api: { concurrency: 5, queue: { capacity: 9, max-wait: 1h } } }";
    private static final String STORED = "limits: { api: { scope: store, rate: 5/h, when-away: open } }";

    private final MemoryStore store = new MemoryStore(time);
    private LimiterRegistry registry;

    @Override
    LimiterRegistry.Builder builder() {
        return super.builder().store(store);
    }

    private NamedLimiter api(String document) {
        registry = registry(document);
        return registry.limiter("api");
    }

    @AfterEach
    void close() {
        if (registry != null) {
            registry.close();
        }
    }

    private static void assertSuspended(Duration left, Decision decision) {
        Rejection refused = assertInstanceOf(Rejection.class, decision);
        assertEquals(Reason.SUSPENDED, refused.reason());
        assertEquals(left.toNanos(), refused.retryAfterNanos());
        assertEquals("api", refused.limiter());
    }

    @ParameterizedTest
    @ValueSource(strings = {LOCAL, QUEUED, STORED})
    void aNameRefusesUntilThen(String document) throws Exception {
        NamedLimiter api = api(document);
        assertFalse(api.suspendFor(Duration.ZERO, "no time"));
        assertInstanceOf(Permit.class, api.tryAcquire()).close();
        assertTrue(api.suspendFor(MINUTE, "the provider"));
        assertFalse(api.suspendFor(Duration.ofSeconds(9), "sooner"));
        assertSuspended(MINUTE, api.tryAcquire());
        assertSuspended(MINUTE, api.acquire(Request.ONE, Duration.ZERO));
        assertSuspended(MINUTE, api.acquireAsync(Request.ONE, Duration.ZERO).join());
        assertEquals(MINUTE.toNanos(), api.snapshot().suspendedNanos());
        assertEquals("the provider", api.status().suspendedBy());
        time.advance(MINUTE);
        assertInstanceOf(Permit.class, api.tryAcquire()).close();
        assertEquals(0, api.snapshot().suspendedNanos());
        assertNull(api.status().suspendedBy());
    }

    /** All changes between what answers, each made while it is suspended. */
    @Test
    void aReloadKeepsIt() {
        NamedLimiter api = api(LOCAL);
        api.suspendFor(MINUTE, "the provider");
        List<String> documents = List.of(STORED, QUEUED, STORED.replace("5/h", "6/h"), LOCAL, "limits: {}", QUEUED);
        for (String document : documents) {
            source.write(document);
            assertSuspended(MINUTE, api.tryAcquire());
            assertEquals("the provider", api.status().suspendedBy(), document);
        }
        source.write("limits: {}\nremoved: [api]");
        assertEquals(Reason.CANCELLED, ((Rejection) api.tryAcquire()).reason());
        source.write(LOCAL);
        assertSuspended(MINUTE, api.tryAcquire());
        time.advance(MINUTE);
        assertInstanceOf(Permit.class, api.tryAcquire());
    }

    /** It was counted by a store when it was suspended: the limiter of this process is made later. */
    @Test
    void aLimiterThatIsMadeLaterIsSuspendedToo() {
        NamedLimiter api = api(STORED);
        api.suspendFor(MINUTE, "the provider");
        time.advance(Duration.ofSeconds(20));
        source.write(LOCAL);
        assertSuspended(Duration.ofSeconds(40), api.tryAcquire());
        time.advance(Duration.ofSeconds(40));
        assertInstanceOf(Permit.class, api.tryAcquire());
    }

    @ParameterizedTest
    @ValueSource(strings = {QUEUED, STORED})
    void S3_S7_whoWaitsIsGrantedInOrderWhenItIsOver(String document) {
        NamedLimiter api = api(document);
        api.suspendFor(MINUTE, "the provider");
        Decision doomed = api.acquireAsync(Request.ONE, MINUTE.minusNanos(1)).getNow(null);
        assertEquals(Reason.TIMED_OUT, assertInstanceOf(Rejection.class, doomed).reason());
        Duration hour = Duration.ofHours(1);
        List<CompletableFuture<Decision>> waiting = IntStream.range(0, 5)
                .mapToObj(i -> api.acquireAsync(Request.ONE, hour))
                .toList();
        CompletableFuture<Decision> cancelled = api.acquireAsync(Request.ONE, hour);
        assertTrue(cancelled.cancel(false));
        time.advance(MINUTE.toNanos() - 1);
        assertTrue(waiting.stream().noneMatch(CompletableFuture::isDone));
        assertTrue(store.made.stream().allMatch(made -> store.keys("api").isEmpty()), "the store is not asked");
        time.advance(1);
        for (CompletableFuture<Decision> each : waiting) {
            await().until(each::isDone);
            assertInstanceOf(Permit.class, each.join());
        }
    }

    @Test
    void whoWaitsBeforeAStoreMovesWithTheName() {
        NamedLimiter api = api(STORED);
        api.suspendFor(MINUTE, "the provider");
        CompletableFuture<Decision> waiting = api.acquireAsync(Request.ONE, Duration.ofHours(1));
        source.write(QUEUED);
        time.advance(MINUTE.toNanos() - 1);
        assertFalse(waiting.isDone());
        time.advance(1);
        await().until(waiting::isDone);
        assertInstanceOf(Permit.class, waiting.join()).close();
        assertEquals(0, registry.limiter("api").snapshot().inFlight());
    }

    @Test
    void S18_theEndOfTheRegistryEndsTheWaitBeforeAStore() {
        NamedLimiter api = api(STORED);
        api.suspendFor(MINUTE, "the provider");
        CompletableFuture<Decision> waiting = api.acquireAsync(Request.ONE, Duration.ofHours(1));
        registry.close();
        await().until(waiting::isDone);
        assertEquals(Reason.CANCELLED, ((Rejection) waiting.join()).reason());
        assertEquals(Reason.CANCELLED, ((Rejection) api.tryAcquire()).reason());
    }

    @Test
    void severalNamesAreSuspendedEach() {
        registry = registry("limits: { api: { concurrency: 5 }, day: { rate: 9/d } }");
        NamedLimiter both = registry.names().limiter("api", "day");
        registry.limiter("day").suspendFor(Duration.ofSeconds(9), "of one");
        Rejection refused = assertInstanceOf(Rejection.class, both.tryAcquire());
        assertEquals("day", refused.limiter());
        assertEquals(0, registry.limiter("api").snapshot().inFlight(), "what the other granted is undone");
        assertTrue(both.suspendFor(MINUTE, "of both"));
        assertFalse(both.suspendFor(MINUTE, "the same"));
        assertSuspended(MINUTE, registry.limiter("api").tryAcquire());
        assertEquals("of both", registry.limiter("day").snapshot().suspendedBy());
        time.advance(MINUTE);
        assertInstanceOf(Permit.class, both.tryAcquire()).close();
    }

    @Test
    void anEventTellsOnceInASecondAndOfWhatIsMuchLonger() {
        NamedLimiter api = api(LOCAL);
        events.clear();
        for (int millis = 1000; millis < 2000; millis++) {
            api.suspendFor(Duration.ofMillis(millis), "many");
        }
        assertEquals(List.of(new Suspended("code", "api", Duration.ofSeconds(1), "many")), events);
        api.suspendFor(Duration.ofSeconds(4), "much longer");
        assertEquals(new Suspended("code", "api", Duration.ofSeconds(4), "much longer"), last());
        time.advance(Duration.ofSeconds(1));
        api.suspendFor(Duration.ofSeconds(4), "a second later");
        assertEquals(new Suspended("code", "api", Duration.ofSeconds(4), "a second later"), last());
        assertEquals(3, events.size());
        assertTrue(registry.names().explain("api").toString().contains("\n  suspended: for PT4S: a second later\n"));
        time.advance(Duration.ofSeconds(4));
        assertFalse(registry.names().explain("api").toString().contains("suspended"));
    }

    @Test
    void whatIsNullIsRefused() {
        NamedLimiter api = api(LOCAL);
        assertThrows(NullPointerException.class, () -> api.suspendFor(null, "why"));
        assertThrows(NullPointerException.class, () -> api.suspendFor(MINUTE, null));
    }
}
