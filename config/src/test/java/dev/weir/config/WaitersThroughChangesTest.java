package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.named.NamedLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Five requests that wait for one name while documents change it, in virtual time. As long as this process counts the limit they keep
 * place and deadline. A store has no places: there and back, they are asked for again in order of arrival, for the rest of their time.
 */
class WaitersThroughChangesTest extends RegistryFixture {
    private static final String QUEUE = ", queue: { capacity: 9, max-wait: 1h } } }";

    private static final String IN_A_STORE = "limits: { a: { scope: store, when-away: open, rate: 1/10m, burst: 1 } }";

    private final List<CompletableFuture<Decision>> waiters = new ArrayList<>();

    private static String limit(String fields) {
        return "limits: { a: { " + fields + QUEUE;
    }

    /** Takes the only permit, and has five requests wait after it, for these seconds. */
    private Permit fiveWait(NamedLimiter limiter, Request request, int... seconds) {
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire(request));
        for (int each : seconds) {
            waiters.add(limiter.acquireAsync(request, Duration.ofSeconds(each)));
        }
        assertEquals("- - - - -", seen());
        return held;
    }

    /** What each has got: a permit (+), a rejection by its reason, or nothing yet (-). */
    private String seen() {
        List<String> all = new ArrayList<>();
        for (CompletableFuture<Decision> each : waiters) {
            Decision decision = each.getNow(null);
            all.add(
                    decision == null
                            ? "-"
                            : decision instanceof Rejection refused
                                    ? refused.reason().name()
                                    : "+");
        }
        return String.join(" ", all);
    }

    private void assertSeen(String expected) {
        await(expected).until(this::seen, expected::equals);
    }

    private void release(int number) {
        ((Permit) waiters.get(number - 1).join()).release(Outcome.SUCCESS);
    }

    /** Writes it, one second after what came before. */
    private void writeAfterASecond(String document) {
        source.write(document);
        time.advance(Duration.ofSeconds(1));
    }

    /** Moves to this many seconds after the start, and asserts that nobody is refused before that instant. */
    private void timeOutAt(long start, int seconds, String before, String after) {
        time.advance(start + Duration.ofSeconds(seconds).toNanos() - 1 - time.read());
        assertSeen(before);
        time.advance(1);
        assertSeen(after);
    }

    private void awaitQueue(NamedLimiter limiter, int length) {
        await().until(() -> limiter.status().queue(), queue -> queue != null && queue.length() == length);
    }

    @Test
    void placesAndDeadlinesStayThroughChangesOfTheLimitAndOfTheQueue() {
        LimiterRegistry registry = registry(limit("concurrency: 1"));
        NamedLimiter limiter = registry.limiter("a");
        long start = time.read();
        Permit held = fiveWait(limiter, Request.ONE, 60, 10, 60, 20, 60);
        for (String next : List.of(
                limit("concurrency: 1, algorithm: counter"),
                "limits: { a: { concurrency: 1, queue: { capacity: 5, max-wait: 3s } } }",
                limit("concurrency: 1, algorithm: semaphore"),
                limit("all-of: [ { rate: 1000/s }, { concurrency: 1 } ]"),
                "limits: {}",
                limit("concurrency: 1, enforce: 100%"))) {
            writeAfterASecond(next);
            assertEquals("- - - - -", seen(), next);
            assertEquals(5, limiter.status().queue().length(), next);
        }
        timeOutAt(start, 10, "- - - - -", "- TIMED_OUT - - -");
        writeAfterASecond(limit("concurrency: 2"));
        assertSeen("+ TIMED_OUT - - -");
        writeAfterASecond(limit("concurrency: 1"));
        release(1);
        assertEquals("+ TIMED_OUT - - -", seen(), "lowered below what is held");
        held.release(Outcome.SUCCESS);
        assertSeen("+ TIMED_OUT + - -");
        timeOutAt(start, 20, "+ TIMED_OUT + - -", "+ TIMED_OUT + TIMED_OUT -");
        release(3);
        assertSeen("+ TIMED_OUT + TIMED_OUT +");
        release(5);
        assertEquals(1, granted(limiter));
    }

    @Test
    void capacityIsForThoseWhoCome() {
        LimiterRegistry registry = registry(limit("concurrency: 1"));
        NamedLimiter limiter = registry.limiter("a");
        long start = time.read();
        Permit held = fiveWait(limiter, Request.ONE, 60, 10, 60, 20, 60);
        for (String queue : List.of(", queue: { capacity: 1, max-wait: 1ms }", "", ", queue: 2", "")) {
            writeAfterASecond("limits: { a: { concurrency: 1" + queue + " } }");
            assertEquals("- - - - -", seen(), queue);
            assertInstanceOf(
                    Rejection.class,
                    limiter.acquireAsync(Request.ONE, Duration.ofSeconds(9)).join(),
                    queue);
        }
        timeOutAt(start, 10, "- - - - -", "- TIMED_OUT - - -");
        held.release(Outcome.SUCCESS);
        assertSeen("+ TIMED_OUT - - -");
        writeAfterASecond("limits: { a: { concurrency: 1, queue: { capacity: 4, max-wait: 1h } } }");
        waiters.add(limiter.acquireAsync(Request.ONE));
        release(1);
        assertSeen("+ TIMED_OUT + - - -");
        timeOutAt(start, 20, "+ TIMED_OUT + - - -", "+ TIMED_OUT + TIMED_OUT - -");
        release(3);
        release(5);
        assertSeen("+ TIMED_OUT + TIMED_OUT + +");
    }

    @Test
    void placesAndDeadlinesStayWhileAnAdaptiveLimitHasAQueueOfItsOwnOrNone() {
        String adaptive = "concurrency: 1, adaptive: { max: 1 }";
        String unsaid = "limits: { a: { " + adaptive + " } }";
        String none = "limits: { a: { " + adaptive + ", queue: false } }";
        LimiterRegistry registry = registry(limit(adaptive));
        NamedLimiter limiter = registry.limiter("a");
        long start = time.read();
        Permit held = fiveWait(limiter, Request.ONE, 60, 10, 60, 20, 60);
        for (String next : List.of(unsaid, limit(adaptive), none, unsaid, none, limit("concurrency: 1"), unsaid)) {
            writeAfterASecond(next);
            assertEquals(List.of(), changed().problems(), next);
            assertEquals("- - - - -", seen(), next);
            assertEquals(5, limiter.status().queue().length(), next);
            boolean isDone =
                    limiter.acquireAsync(Request.ONE, Duration.ofMillis(1)).isDone();
            assertEquals(next.equals(none), isDone, next);
            time.advance(Duration.ofMillis(1));
        }
        timeOutAt(start, 10, "- - - - -", "- TIMED_OUT - - -");
        held.release(Outcome.SUCCESS);
        assertSeen("- TIMED_OUT - - +");
        writeAfterASecond(none);
        release(5);
        assertSeen("- TIMED_OUT - + +");
        writeAfterASecond(limit(adaptive));
        release(4);
        assertSeen("+ TIMED_OUT - + +");
        release(1);
        release(3);
        assertEquals(1, granted(limiter));
        assertEquals(0, limiter.snapshot().inFlight());
    }

    @Test
    void noneOvertakesThoseWhoWaitInAQueueThatWasTakenOff() {
        LimiterRegistry registry = registry(limit("concurrency: 2"));
        NamedLimiter limiter = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        waiters.add(limiter.acquireAsync(Request.of(2)));
        write("limits: { a: { concurrency: 2 } }");
        assertInstanceOf(Rejection.class, limiter.tryAcquire(), "one permit is free");
        held.release(Outcome.SUCCESS);
        assertSeen("+");
        release(1);
        assertInstanceOf(Permit.class, limiter.tryAcquire());
    }

    @Test
    void anotherKindIsAskedInTheOrderOfThePlaces() {
        LimiterRegistry registry = registry(limit("concurrency: 1"));
        NamedLimiter limiter = registry.limiter("a");
        long start = time.read();
        Permit held = fiveWait(limiter, Request.ONE, 60, 60, 4, 60, 60);
        time.advance(Duration.ofSeconds(1));
        source.write(limit("rate: 1/2s, burst: 1"));
        assertSeen("+ - - - -");
        timeOutAt(start, 3, "+ - - - -", "+ + - - -");
        timeOutAt(start, 4, "+ + - - -", "+ + TIMED_OUT - -");
        source.write(limit("concurrency: 1"));
        assertEquals("+ + TIMED_OUT - -", seen(), "what is held counts again");
        held.release(Outcome.SUCCESS);
        assertSeen("+ + TIMED_OUT + -");
        timeOutAt(start, 60, "+ + TIMED_OUT + -", "+ + TIMED_OUT + TIMED_OUT");
        release(4);
        assertEquals(1, granted(limiter));
    }

    @Test
    void byAKeyEachIsAskedForItsOwnAndKeepsItsDeadline() {
        LimiterRegistry registry = registry(limit("concurrency: 1"));
        NamedLimiter limiter = registry.limiter("a");
        long start = time.read();
        Permit held = fiveWait(limiter, Request.forKey("ann"), 60, 10, 60, 60, 60);
        writeAfterASecond(limit("concurrency: 1, key: user"));
        assertSeen("+ - - - -");
        held.release(Outcome.SUCCESS);
        assertEquals("+ - - - -", seen(), "it was not counted by key");
        timeOutAt(start, 10, "+ - - - -", "+ TIMED_OUT - - -");
        writeAfterASecond(limit("concurrency: 2, key: user"));
        assertSeen("+ TIMED_OUT + - -");
        timeOutAt(start, 60, "+ TIMED_OUT + - -", "+ TIMED_OUT + TIMED_OUT TIMED_OUT");
    }

    @Test
    void noneIsCountedByTheNewKeyUnderTheOldLimit() {
        LimiterRegistry registry = registry(limit("concurrency: 3, key: user"));
        NamedLimiter limiter = registry.limiter("a");
        Request ann = limiter.request(Map.of("user", "ann", "ip", "1.1.1.1")::get);
        for (int i = 0; i < 3; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire(ann));
        }
        for (int i = 0; i < 4; i++) {
            waiters.add(limiter.acquireAsync(ann, Duration.ofMinutes(1)));
        }
        writeAfterASecond(limit("concurrency: 1, key: ip"));
        assertSeen("+ - - -");
        writeAfterASecond(limit("concurrency: 2, key: ip"));
        assertSeen("+ + - -");
    }

    @Test
    void whoWaitsWithDimensionsIsCountedByTheKeyOfTheTimeAlsoWhereNobodyNewMayWait() {
        LimiterRegistry registry = registry(limit("concurrency: 1"));
        NamedLimiter limiter = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        for (String ip : List.of("1.1.1.1", "2.2.2.2", "1.1.1.1")) {
            Request ann = limiter.request(Map.of("user", "ann", "ip", ip)::get);
            waiters.add(limiter.acquireAsync(ann, Duration.ofMinutes(1)));
        }
        writeAfterASecond(limit("concurrency: 2"));
        assertSeen("+ - -");
        writeAfterASecond("limits: { a: { concurrency: 1, key: user } }");
        assertSeen("+ + -");
        writeAfterASecond("limits: { a: { concurrency: 1, key: ip } }");
        assertSeen("+ + +");
        held.release(Outcome.SUCCESS);
    }

    @ParameterizedTest
    @CsvSource({
        "refuse, KEY_MISSING KEY_MISSING KEY_MISSING KEY_MISSING KEY_MISSING",
        "share, + + - - -",
        "skip, + + + + +"
    })
    void withoutTheKeyThatTheLimitCountsByNowTheyGetWhatTheDocumentSays(String missing, String expected) {
        LimiterRegistry registry = registry(limit("concurrency: 1"));
        NamedLimiter limiter = registry.limiter("a");
        fiveWait(limiter, Request.ONE, 60, 60, 60, 60, 60);
        write(limit("concurrency: 2, key: user, key-missing: " + missing));
        await().until(() -> Stream.of(seen().split(" ")).sorted().collect(Collectors.joining(" ")), expected::equals);
    }

    @Test
    void toAStoreAndBackEachIsAskedForTheRestOfItsTime() {
        MemoryStore store = new MemoryStore(time);
        source.write("limits: { a: { scope: store, when-away: open, rate: 1/10m, burst: 1 } }");
        LimiterRegistry registry = builder().store(store).build();
        NamedLimiter limiter = registry.limiter("a");
        assertInstanceOf(Permit.class, limiter.tryAcquire());
        write(limit("concurrency: 1"));
        long start = time.read();
        Permit held = fiveWait(limiter, Request.ONE, 60, 10, 60, 20, 60);
        time.advance(Duration.ofSeconds(1));
        source.write("limits: { a: { scope: store, when-away: open, rate: 1/10m, burst: 1 } }");
        await().until(() -> store.only().waiting.size() == 5);
        assertEquals(
                List.of(9L, 19L, 59L, 59L, 59L),
                store.only().waits.stream().map(Duration::toSeconds).sorted().toList());
        assertEquals("- - - - -", seen());
        time.advance(Duration.ofSeconds(1));
        source.write(limit("concurrency: 1"));
        awaitQueue(limiter, 5);
        assertEquals("- - - - -", seen());
        timeOutAt(start, 10, "- - - - -", "- TIMED_OUT - - -");
        timeOutAt(start, 20, "- TIMED_OUT - - -", "- TIMED_OUT - TIMED_OUT -");
        held.release(Outcome.SUCCESS);
        await().until(() -> seen().contains("+"));
        timeOutAt(start, 60, seen(), seen().replace("-", "TIMED_OUT"));
    }

    /** A name that a store has counted, and whose only permit there is taken; this process counts it now. */
    private LimiterRegistry usedUpInA(MemoryStore store) {
        source.write(IN_A_STORE);
        LimiterRegistry registry = builder().store(store).build();
        assertInstanceOf(Permit.class, registry.limiter("a").tryAcquire());
        write(limit("concurrency: 1"));
        return registry;
    }

    /** Waits until all have been asked for at the store, which ends the last first, and goes back to this process. */
    private void toTheStoreAndBack(MemoryStore store, int all) {
        write(IN_A_STORE);
        await().until(() -> store.only().waiting.stream()
                        .filter(each -> each.getNumberOfDependents() > 0)
                        .count()
                == all);
        Collections.reverse(store.only().waiting);
        write(limit("concurrency: 1"));
    }

    private void releaseInOrder() {
        for (int i = 1; i <= 5; i++) {
            assertSeen(("+ ".repeat(i) + "- ".repeat(5 - i)).trim());
            release(i);
        }
    }

    @Test
    void toAStoreAndBackTheyKeepTheirOrder() {
        MemoryStore store = new MemoryStore(time);
        NamedLimiter limiter = usedUpInA(store).limiter("a");
        Permit held = fiveWait(limiter, Request.ONE, 61, 62, 63, 64, 65);
        toTheStoreAndBack(store, 5);
        assertEquals(
                List.of(61L, 62L, 63L, 64L, 65L),
                store.made.get(store.made.size() - 1).waits.stream()
                        .map(Duration::toSeconds)
                        .toList());
        assertEquals(5, limiter.status().queue().length());
        held.release(Outcome.SUCCESS);
        releaseInOrder();
    }

    @Test
    void threadsThatBlockComeBackAtTheirPlaces() {
        MemoryStore store = new MemoryStore(time);
        NamedLimiter limiter = usedUpInA(store).limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        for (int i = 1; i <= 5; i++) {
            time.advance(1);
            waiters.add(i % 2 == 0 ? blocked(limiter) : limiter.acquireAsync(Request.ONE, Duration.ofSeconds(60)));
            awaitQueue(limiter, i);
        }
        toTheStoreAndBack(store, 5);
        held.release(Outcome.SUCCESS);
        releaseInOrder();
    }

    private static CompletableFuture<Decision> blocked(NamedLimiter limiter) {
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                decision.complete(limiter.acquire(Request.ONE, Duration.ofSeconds(60)));
            } catch (Throwable t) {
                decision.completeExceptionally(t);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return decision;
    }
}
