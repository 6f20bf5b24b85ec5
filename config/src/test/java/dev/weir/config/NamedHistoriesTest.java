package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.LimiterView;
import dev.weir.engine.Limiters;
import dev.weir.named.NamedLimiter;
import dev.weir.named.backend.SeveralPermits;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueView;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One handle through seeded documents that change scope, kind, queue, capacity, key and removal, and overrides over them, while four
 * threads use it and observers misbehave: never more than the document and its override allow, nothing lost, and nobody who waits is
 * refused but at its time.
 */
@Tag("proof")
class NamedHistoriesTest {
    private static final int IN_A_ROUND = 50;
    private static final int THREADS = 4;
    private static final int LIMIT = 3;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Document STILL = new Document("limits: { a: { concurrency: " + LIMIT + " } }", LIMIT);
    private static final long UNBOUNDED = Long.MAX_VALUE;
    private static final int SPINS = 100_000_000;

    /** Of all rate limits without a queue, which hold nothing. */
    private static final Decision SPENT =
            Limiters.of("rate", TokenBucket.of(1, Duration.ofSeconds(1))).tryAcquire();

    private final MemorySource source = new MemorySource();
    private final List<ConfigEvent> refused = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    /* Odd while the name is removed. */
    private final AtomicInteger removals = new AtomicInteger();
    /* Documents by which a store counts. */
    private final AtomicInteger stores = new AtomicInteger();
    /*
     * The number of permits in flight is counted between grant and release, by the threads that hold them; those that hold nothing
     * are not counted. `bound` is the largest limit in force since the last drain: it is raised before a document is offered, and
     * lowered once each thread has ended the request that it had when the document came into force:
     *
     *     thread                                writer
     *     asking := document 4                  document 5, of a lower limit, is in force; document := 5
     *     is granted; counts; compares          reads asking: 4: waits
     *     releases; asking := 5, asks           reads asking: 5: bound := the limit of document 5
     *
     * What a thread asks for after that is granted by document 5 or later. What others hold at that time was too: the writer waited
     * for all of them.
     */
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong document = new AtomicLong();
    private final AtomicLongArray asking = new AtomicLongArray(THREADS);
    private final AtomicLong drains = new AtomicLong();
    private volatile long bound = LIMIT;
    private volatile boolean stopped;
    /* Whether documents of this round may refuse requests without a key. */
    private volatile boolean refusesWithoutKey;
    private final AtomicLong misbehaved = new AtomicLong();
    private long overridden;

    /**
     * A document, and how many permits may be in flight by it. A rate may grant permits that are objects of their own, though they hold
     * nothing: to those who waited in a queue, and during a change.
     *
     * @param limit negative = as by the document before
     */
    private record Document(String text, long limit) {
        static Document random(SplittableRandom random, boolean refusesWithoutKey) {
            int limit = 1 + random.nextInt(LIMIT);
            String key = random.nextBoolean() ? ", key: user" : ", key: [user, ip]";
            String missing = refusesWithoutKey ? key : key + ", key-missing: share";
            return switch (random.nextInt(10)) {
                case 0 -> of("scope: store, when-away: open, rate: 1000M/s", 0);
                case 1 ->
                    of("scope: store, when-away: open, mode: verdict, rate: 1000M/s, key: true, key-missing: share", 0);
                case 2 -> of("rate: 1000M/s", UNBOUNDED);
                case 3 -> of("rate: 1000M/s" + WAITING, UNBOUNDED);
                case 4 ->
                    of(
                            "rate: 1000M/s, key: true, key-missing: " + (random.nextBoolean() ? "share" : "skip"),
                            UNBOUNDED);
                case 5 -> of("rate: 1000M/s" + missing, UNBOUNDED);
                case 6 -> of("concurrency: " + limit + missing + waiting(random), UNBOUNDED);
                case 7 -> of("all-of: [ { rate: 1000M/s }, { concurrency: " + limit + " } ]" + waiting(random), limit);
                case 8 -> adaptive(random);
                default -> plain(random);
            };
        }

        /** With the queue that it brings, another one, or none. */
        static Document adaptive(SplittableRandom random) {
            int limit = 1 + random.nextInt(LIMIT);
            String queue = random.nextInt(3) == 0 ? ", queue: false" : waiting(random);
            return of("concurrency: " + limit + ", adaptive: { max: " + limit + " }" + queue, limit);
        }

        static Document plain(SplittableRandom random) {
            int limit = 1 + random.nextInt(LIMIT);
            return of("concurrency: " + limit + waiting(random), limit);
        }

        private static Document of(String limit, long most) {
            return new Document("limits: { a: { " + limit + " } }", most);
        }
    }

    private static final String WAITING = ", queue: { capacity: 100, max-wait: 20ms }";

    private static String waiting(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0, 1 -> "";
            case 2 -> WAITING;
            default -> ", queue: { capacity: " + (1 + random.nextInt(3)) + ", max-wait: 20ms }";
        };
    }

    private void offer(Document next, boolean drains) {
        if (next.text.contains("scope")) {
            stores.incrementAndGet();
        }
        change(next.limit, drains, () -> source.write(next.text));
    }

    /* From now on so many permits may be in flight; negative = as before. */
    private void change(long limit, boolean drains, Runnable change) {
        if (limit > bound) {
            bound = limit;
        }
        change.run();
        document.incrementAndGet();
        if (drains && limit >= 0) {
            drain();
            bound = limit;
        }
    }

    /* A patch of the limit, which stays in force over the documents below it. */
    private void override(LimiterRegistry registry, SplittableRandom random) {
        Document below = Document.plain(random);
        offer(below, random.nextBoolean());
        int limit = 1 + random.nextInt(LIMIT);
        List<Registration> hand = new ArrayList<>();
        change(limit, random.nextBoolean(), () -> {
            hand.add(registry.override("a", "concurrency: " + limit, HOUR, "ann", "test"));
        });
        for (int i = random.nextInt(3); i > 0; i--) {
            below = Document.plain(random);
            offer(new Document(below.text, limit), random.nextBoolean());
        }
        change(below.limit, random.nextBoolean(), hand.get(0)::close);
        overridden++;
    }

    private void drain() {
        for (int i = 0; i < THREADS; i++) {
            int spins = 0;
            while (asking.get(i) < document.get() && failure.get() == null) {
                assertTrue(++spins < SPINS, "a thread waits for ever");
                Thread.yield();
            }
        }
        drains.incrementAndGet();
    }

    private void hold(Permit permit) {
        boolean holds = permit != SPENT && !(permit instanceof SeveralPermits);
        if (holds) {
            long held = inFlight.incrementAndGet();
            if (held > bound) {
                failure.compareAndSet(
                        null, new AssertionError(held + " in flight, the limit is " + bound + ", with " + permit));
            }
            Thread.yield();
            inFlight.decrementAndGet();
        }
        permit.release(Outcome.SUCCESS);
    }

    private void load(NamedLimiter limiter, int thread, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        while (!stopped) {
            asking.set(thread, document.get());
            int before = removals.get();
            int beforeStore = stores.get();
            try {
                asked.incrementAndGet();
                Answer answer = ask(limiter, random);
                boolean isRemoved = (before & 1) == 1 || removals.get() != before;
                boolean isMoved = isRemoved || stores.get() != beforeStore;
                if (answer.decision instanceof Permit permit) {
                    hold(permit);
                } else if (!isExpected(answer, ((Rejection) answer.decision).reason(), isRemoved, isMoved)) {
                    failure.compareAndSet(null, new AssertionError(answer + " in " + limiter.status()));
                }
                answered.incrementAndGet();
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        }
        asking.set(thread, Long.MAX_VALUE);
    }

    /**
     * An answer to a request.
     *
     * @param waited whether it had to wait; false = perhaps
     */
    private record Answer(Decision decision, Request request, boolean waited) {}

    /* Those that wait are asked for again, and may be refused at once, where a store counted meanwhile or a key is needed that they lack. */
    private boolean isExpected(Answer answer, Reason reason, boolean isRemoved, boolean isMoved) {
        // A key of the code is of another shape than two dimensions.
        boolean mayLackKey = answer.request.key() == null ? refusesWithoutKey : answer.request.key() instanceof String;
        return switch (reason) {
            case CANCELLED -> isRemoved;
            case KEY_MISSING -> mayLackKey;
            case QUEUE_FULL, CONCURRENCY, RATE -> isMoved || mayLackKey || !answer.waited;
            default -> true;
        };
    }

    private static Answer ask(NamedLimiter limiter, SplittableRandom random) throws InterruptedException {
        String value = "k" + random.nextInt(9);
        Request request = random.nextInt(3) == 0
                ? limiter.request(dimension -> dimension + value)
                : random.nextInt(3) == 0 ? Request.forKey(value) : Request.ONE;
        Duration longest = random.nextBoolean() ? Duration.ofMillis(20) : limiter.maxWait();
        switch (random.nextInt(4)) {
            case 0:
                return new Answer(limiter.tryAcquire(request), request, false);
            case 1:
                return new Answer(limiter.acquire(request), request, false);
            case 2:
                CompletableFuture<Decision> answered = limiter.acquireAsync(request, longest);
                boolean waited = !answered.isDone();
                return new Answer(answered.join(), request, waited);
            default:
                CompletableFuture<Decision> future = limiter.acquireAsync(request, longest);
                future.cancel(true);
                Decision decision = future.isCancelled() ? new Rejection("test", Reason.SHED, 0, 0) : future.join();
                return new Answer(decision, request, false);
        }
    }

    /** Throws, returns nothing, asks and waits for its turn, whenever it is told something. */
    private final class Misbehaving implements RegistryObserver {
        private final LimiterRegistry registry;

        Misbehaving(LimiterRegistry registry) {
            this.registry = registry;
        }

        private Registration misbehave() {
            long number = misbehaved.incrementAndGet();
            if (number % 3 == 0) {
                throw new IllegalStateException("an observer that fails");
            }
            if (number % 3 == 1 && registry.limiter("a").tryAcquire() instanceof Permit permit) {
                permit.release(Outcome.IGNORED);
            }
            return () -> {
                throw new IllegalStateException("an observer that fails at its end");
            };
        }

        @Override
        public Registration onLimiter(LimiterView limiter) {
            Registration unused = limiter.observe(new LimiterObserver() {
                @Override
                public void onLimitChanged(long from, long to, String why) {
                    misbehave();
                }
            });
            return misbehave();
        }

        @Override
        public Registration onQueue(QueueView queue) {
            Registration unused = queue.observe((request, decision, waited) -> {
                if (decision instanceof Permit permit) {
                    permit.release(Outcome.DROPPED);
                }
                throw new IllegalStateException("an observer that releases what is not its own");
            });
            return misbehave();
        }
    }

    @Test
    void oneHandleAnswersThroughAllThatDocumentsSay() throws Exception {
        source.write(STILL.text);
        try (LimiterRegistry registry = LimiterRegistry.builder()
                .source(source)
                .store(new MemoryStore(Ticker.system()))
                .executor(Runnable::run)
                .onEvent(event -> {
                    if (event instanceof ConfigEvent.Refused) {
                        refused.add(event);
                    }
                })
                .build()) {
            NamedLimiter limiter = registry.limiter("a");
            Registration unused = registry.names().observe(new Misbehaving(registry));
            SplittableRandom random = new SplittableRandom(21);
            int rounds = Stress.seconds(4, 60, 200).repeat(20, number -> {
                round(registry, limiter, random);
                assertNull(failure.get(), () -> "" + failure.get());
                assertSame(limiter, registry.limiter("a"));
                assertEquals(asked.get(), answered.get());
                // A thread of the queue may be about to release what was granted to a cancelled request.
                await().until(() -> limiter.snapshot().inFlight() == 0);
                assertEquals(LIMIT, RegistryFixture.granted(limiter));
            });
            assertEquals(List.of(), refused);
            assertTrue(drains.get() > rounds * IN_A_ROUND / 10, () -> drains + " drains");
            assertTrue(misbehaved.get() > rounds, () -> misbehaved + " times an observer misbehaved");
            assertTrue(overridden > rounds, () -> overridden + " overrides");
            System.out.println(rounds * IN_A_ROUND + " documents at least, " + overridden + " overrides, " + asked
                    + " requests, 0 over, 0 lost, 0 refused that waited");
        }
    }

    private void round(LimiterRegistry registry, NamedLimiter limiter, SplittableRandom random) throws Exception {
        stopped = false;
        refusesWithoutKey = random.nextBoolean();
        CyclicBarrier together = new CyclicBarrier(THREADS + 1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            long seed = random.nextLong();
            Thread thread = new Thread(() -> {
                try {
                    together.await();
                    load(limiter, number, seed);
                } catch (Exception e) {
                    failure.compareAndSet(null, e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        together.await();
        for (int i = 0; i < IN_A_ROUND; i++) {
            if (random.nextInt(5) == 0) {
                removals.incrementAndGet();
                offer(new Document("removed: [a]\nlimits: {}", 0), random.nextInt(4) == 0);
                offer(Document.random(random, refusesWithoutKey), false);
                removals.incrementAndGet();
            } else if (random.nextInt(6) == 0) {
                override(registry, random);
            } else {
                boolean orphaned = random.nextInt(5) == 0;
                Document next = Document.random(random, refusesWithoutKey);
                offer(orphaned ? new Document("limits: {}", -1) : next, random.nextBoolean());
            }
        }
        offer(STILL, true);
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
