package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.LimiterView;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that come while the key of a limit changes: none waits for the thread that changes it, and none is refused for it. */
class KeyChangesTest extends RegistryFixture {
    private static final String QUEUE = ", queue: { capacity: 100, max-wait: 1h }";

    /** A text that is read each time a limit makes a key of it. */
    private static final class Counted extends Number {
        private static final long serialVersionUID = 1;

        private final transient AtomicInteger read = new AtomicInteger();
        private final transient Runnable reading;

        Counted(Runnable reading) {
            this.reading = reading;
        }

        @Override
        public String toString() {
            read.getAndIncrement();
            reading.run();
            return "7";
        }

        @Override
        public int intValue() {
            return 7;
        }

        @Override
        public long longValue() {
            return 7;
        }

        @Override
        public float floatValue() {
            return 7;
        }

        @Override
        public double doubleValue() {
            return 7;
        }
    }

    /** A way to ask for a permit, which returns the decision. */
    private interface Caller {
        Decision ask(NamedLimiter limiter, Request request) throws Exception;
    }

    private static final Map<String, Caller> CALLERS = Map.of(
            "tryAcquire",
            NamedLimiter::tryAcquire,
            "acquire",
            NamedLimiter::acquire,
            "acquireAsync",
            (limiter, request) -> limiter.acquireAsync(request).join(),
            "call",
            (limiter, request) -> {
                AtomicReference<Decision> refused = new AtomicReference<>();
                boolean called = limiter.call(request, () -> true, rejection -> {
                    refused.set(rejection);
                    return false;
                });
                assertEquals(called, refused.get() == null);
                return called ? limiter.tryAcquire(request) : refused.get();
            });

    private static CompletableFuture<Decision> aside(Caller caller, NamedLimiter limiter, Request request) {
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                decision.complete(caller.ask(limiter, request));
            } catch (Throwable t) {
                decision.completeExceptionally(t);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return decision;
    }

    private static void whenTheLimitChanges(LimiterRegistry registry, Runnable action) {
        Registration unused = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.observe(
                        new LimiterObserver() {
                            @Override
                            public void onLimitChanged(long from, long to, String why) {
                                action.run();
                            }
                        },
                        false);
            }
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "key: user | key: ip",
                "key: user | key: [user, ip]",
                "key: [user, ip] | key: user",
                "| key: user",
                "key: user |",
                "key: user | key: 'true'",
                "key: 'true' | key: ip",
            })
    void whoChangesTheKeyCanWaitForWhoAsksMeanwhile(String from, String to) throws Exception {
        List<String> failures = new ArrayList<>();
        for (String queue : List.of("", QUEUE)) {
            for (Map.Entry<String, Caller> caller : CALLERS.entrySet()) {
                LimiterRegistry registry = registry(document(3, from, queue));
                NamedLimiter limiter = registry.limiter("a");
                boolean isWhole = (from + to).contains("true");
                AtomicReference<Request> given = new AtomicReference<>();
                AtomicReference<Decision> decided = new AtomicReference<>();
                whenTheLimitChanges(registry, () -> {
                    Request request =
                            isWhole ? Request.forKey("ann") : limiter.request(Map.of("user", "ann", "ip", "::1")::get);
                    given.set(request);
                    CompletableFuture<Decision> answer = aside(caller.getValue(), limiter, request);
                    await().pollInterval(Duration.ofMillis(1)).until(answer::isDone);
                    decided.set(answer.join());
                });
                write(document(2, to, queue));
                if (!(decided.get() instanceof Permit)) {
                    failures.add(caller.getKey() + queue + ": " + decided.get());
                }
                registry.close();
            }
        }
        assertEquals(List.of(), failures);
    }

    private static String document(int limit, String key, String queue) {
        return "limits: { a: { concurrency: " + limit + (key == null ? "" : ", " + key.replace("'", "")) + queue
                + " } }";
    }

    @ParameterizedTest
    @ValueSource(strings = {"", QUEUE})
    void whoLacksTheFirstKeyIsRefusedWhileItComes(String queue) {
        LimiterRegistry registry = registry(document(3, null, queue));
        NamedLimiter limiter = registry.limiter("a");
        List<Decision> decided = new ArrayList<>();
        whenTheLimitChanges(registry, () -> {
            CompletableFuture<Decision> answer = aside(NamedLimiter::tryAcquire, limiter, Request.ONE);
            await().pollInterval(Duration.ofMillis(1)).until(answer::isDone);
            decided.add(answer.join());
        });
        write(document(2, "key: user", queue));
        assertEquals(1, decided.size());
        assertEquals(
                Reason.KEY_MISSING,
                assertInstanceOf(Rejection.class, decided.get(0)).reason());
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2", "5"})
    void aRequestAsksAgainNoMoreOftenThanItsKeyWasChanged(int changes) {
        for (String queue : List.of("", QUEUE)) {
            LimiterRegistry registry = registry(document(3, "key: user", queue));
            NamedLimiter limiter = registry.limiter("a");
            AtomicInteger made = new AtomicInteger();
            Counted key = new Counted(() -> {
                int number = made.get();
                if (number < changes) {
                    made.incrementAndGet();
                    write(document(4 + number, number % 2 == 0 ? "key: ip" : "key: user", queue));
                }
            });
            assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey(key)));
            // A queue holds the text, of which another key can be made without reading it again.
            assertEquals(queue.isEmpty() ? changes : Math.min(1, changes), made.get());
            assertEquals(queue.isEmpty() ? 1 + changes : 1, key.read.get());
            registry.close();
        }
    }

    private static final List<String> ENDLESS = List.of(
            "concurrency: 90",
            "concurrency: 80, key: user",
            "concurrency: 70, key: ip" + QUEUE,
            "concurrency: 60",
            "concurrency: 90, key: ip",
            "concurrency: 60, key: true, key-missing: share",
            "concurrency: 60, key: user, key-missing: share",
            "concurrency: 80" + QUEUE,
            "concurrency: 70, key: user" + QUEUE,
            "all-of: [{ concurrency: 60, key: ip }, { rate: 1000M/s, key: user }], key-missing: skip");

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @Test
    void noWorkGoesToItsFallbackThroughChangesOfTheKey() throws Exception {
        LimiterRegistry registry = registry("limits: { a: { " + ENDLESS.get(0) + " } }");
        NamedLimiter limiter = registry.limiter("a");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            threads.add(new Thread(() -> load(limiter, number)));
        }
        threads.forEach(Thread::start);
        try {
            for (int i = 0; i < 200 && failure.get() == null; i++) {
                begun.incrementAndGet();
                write("limits: { a: { " + ENDLESS.get(i % ENDLESS.size()) + " } }");
                changed();
                ended.incrementAndGet();
            }
        } finally {
            begun.set(Integer.MIN_VALUE);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertNull(failure.get(), () -> "" + failure.get());
        assertTrue(ran.get() > 0);
        assertEquals(0, limiter.snapshot().inFlight());
    }

    private void load(NamedLimiter limiter, int number) {
        try {
            while (begun.get() >= 0 && failure.get() == null) {
                int before = ended.get();
                Counted key = new Counted(() -> {});
                ask(limiter, number, key);
                int changes = begun.get() - before;
                int read = key.read.get();
                if (changes >= 0 && read > 1 + changes) {
                    throw new AssertionError(read + " readings of the key in " + changes + " changes");
                }
            }
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
        }
    }

    private void ask(NamedLimiter limiter, int number, Counted key) throws Exception {
        if (number == 0) {
            limiter.run(Request.forKey(key), ran::incrementAndGet, this::refused);
        } else if (number == 1) {
            int ignored = limiter.call(Request.forKey(key), ran::incrementAndGet, this::refused);
        } else if (number == 2) {
            limiter.run(limiter.request(dimension -> dimension + "-ann"), ran::incrementAndGet, this::refused);
        } else if (limiter.tryAcquire(Request.forKey(key)) instanceof Permit permit) {
            permit.release(Outcome.SUCCESS);
        } else {
            failure.compareAndSet(null, new AssertionError("refused"));
        }
    }

    private int refused(Rejection rejection) {
        failure.compareAndSet(null, new AssertionError("refused, with permits free: " + rejection));
        return 0;
    }
}
