package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.ControlView;
import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import dev.weir.engine.LimiterView;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Documents that change everything, thousands a second, under threads that take and release permits all the time. What these have
 * is counted here, outside of the library.
 */
@Tag("proof")
class ReloadStressTest {
    private static final Duration TIME =
            Stress.of(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofSeconds(60));
    private static final int RATE = 10_000;
    private static final int THREADS = 2;
    private static final int MOST = 8;

    /** No machine is so slow. */
    private static final Duration HANGS = Duration.ofMinutes(2);

    private static final Ticker CLOCK = Ticker.system();
    private static final int HELD = 6;
    private static final List<String> TURNS =
            IntStream.range(0, 12).mapToObj(ReloadStressTest::turn).toList();

    private final AtomicReference<@Nullable String> excess = new AtomicReference<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    /** A registry and its documents, which are numbered without a gap. */
    private static final class Subject implements AutoCloseable {
        final MemorySource source = new MemorySource();
        final AtomicLong refused = new AtomicLong();
        final AtomicLong inForce = new AtomicLong();
        final LimiterRegistry registry;
        long number;

        Subject() {
            write(document(0));
            registry = LimiterRegistry.builder()
                    .source(source)
                    .executor(Runnable::run)
                    .onEvent(this::count)
                    .build();
        }

        private void count(ConfigEvent event) {
            if (event instanceof ConfigEvent.Changed good && good.problems().isEmpty()) {
                inForce.set(Long.parseLong(good.version()));
            } else if (!(event instanceof ConfigEvent.Orphaned)) {
                refused.getAndIncrement();
            }
        }

        void write(byte[] document) {
            source.put(Reading.of(document, Format.JSON).whole());
        }

        /** Writes documents for this time, each after the one before is in force; returns how many. */
        long reload(Duration time) {
            long start = CLOCK.read();
            long first = number;
            while (CLOCK.read() - start < time.toNanos()) {
                write(document(++number));
                while (inForce.get() != number + 1) {
                    Thread.onSpinWait();
                }
                LockSupport.parkNanos(start + (number - first) * 1_000_000_000L / RATE - CLOCK.read());
            }
            return number - first;
        }

        @Override
        public void close() {
            registry.close();
        }
    }

    /** Each says something else than the one before: algorithms, limits, queues, disciplines, adaptive controls, names. */
    private static String turn(int turn) {
        // The queue that adaptive brings may hold thousands, and the test counts the threads that complete them.
        String none = turn % 4 == 1 ? ", queue: false" : "";
        String queue = List.of(none, ", queue: 5", ", queue: { capacity: 9, discipline: lifo }")
                .get(turn % 3);
        String adaptive = turn % 4 == 1 ? ", adaptive: { min: 1, max: " + MOST + " }" : "";
        String changing = List.of(
                        "rate: 1000000/s",
                        "concurrency: 3",
                        "algorithm: counter, concurrency: 5",
                        "all-of: [ { concurrency: 4 }, { rate: 1000000/s } ]")
                .get(turn % 4);
        String guest = turn % 2 == 0 ? " guest: { concurrency: 2, queue: 3 }," : "";
        return HostileDocuments.json("{ document: { version: -1 }, limits: { held: { concurrency: " + (1 + turn % MOST)
                + queue + adaptive + " }, changing: { " + changing + queue + " }," + guest
                + " same: { concurrency: 6, queue: 4 } } }");
    }

    private static byte[] document(long number) {
        return HostileDocuments.utf8(TURNS.get((int) (number % TURNS.size())).replace("-1", "" + (number + 1)));
    }

    /** What "held" may be at most while events say this number: the next document may be in force already. */
    private static long limit(long number) {
        return Math.max(limitOf(number - 1), limitOf(number));
    }

    private static long limitOf(long number) {
        int turn = (int) (number % 12);
        return turn % 4 == 1 ? MOST : 1 + turn % MOST;
    }

    private void load(Subject subject, AtomicLong inFlight) {
        LimiterRegistry registry = subject.registry;
        NamedLimiter changing = registry.limiter("changing");
        NamedLimiter queue = registry.limiter("same");
        NamedLimiter other = registry.limiter("held");
        NamedLimiter held = registry.limiter("held");
        Deque<Permit> permits = new ArrayDeque<>();
        for (long i = 0; !stop.get(); i++) {
            long before = subject.inForce.get();
            if (held.tryAcquire() instanceof Permit permit) {
                permits.add(permit);
                long count = inFlight.incrementAndGet();
                long after = subject.inForce.get();
                if (before == after && count > limit(before)) {
                    excess.compareAndSet(null, count + " in flight at " + before + ", limit " + limit(before));
                }
            }
            if (permits.size() > i % HELD) {
                inFlight.decrementAndGet();
                permits.remove().release(Outcome.SUCCESS);
            }
            released(changing.tryAcquire());
            if (i % 16 == 0) {
                released(queue.tryAcquire(Request.ONE));
                other.acquireAsync(Request.ONE).thenAccept(ReloadStressTest::released);
                try {
                    released(registry.limiter("guest").tryAcquire());
                } catch (IllegalArgumentException gone) {
                    // It comes and goes.
                }
            }
        }
        for (Permit permit : permits) { // the other thread may still be counting
            inFlight.decrementAndGet();
            permit.release(Outcome.SUCCESS);
        }
    }

    private static void released(Decision decision) {
        if (decision instanceof Permit permit) {
            permit.release(Outcome.SUCCESS);
        }
    }

    private void underLoad(Subject subject, Runnable work) throws InterruptedException {
        AtomicLong inFlight = new AtomicLong();
        stop.set(false);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> load(subject, inFlight), "load-" + i);
            threads.add(thread);
            thread.start();
        }
        try {
            work.run();
        } finally {
            stop.set(true);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void C7_tenThousandReloadsASecondUnderLoad() throws Exception {
        try (Subject subject = new Subject()) {
            underLoad(subject, () -> subject.reload(Duration.ofSeconds(1)));
            Set<Thread> threads = Thread.getAllStackTraces().keySet();
            AtomicLong written = new AtomicLong();
            underLoad(subject, () -> written.addAndGet(subject.reload(TIME)));
            Set<Thread> threadsAfter = Thread.getAllStackTraces().keySet();
            System.out.printf(
                    Locale.ROOT,
                    "reloads: %,d a second, %d threads before and %d after%n",
                    written.get() / TIME.toSeconds(),
                    threads.size(),
                    threadsAfter.size());
            assertNull(excess.get());
            assertEquals(0, subject.refused.get());
            // Workers of queues end when they have been idle for a second.
            await().until(() -> Thread.getAllStackTraces().size() <= threads.size() + 3);
            assertTheLastOneWins(subject);
        }
    }

    /** Each part that comes or goes stops the reload until another thread has an answer for every name. */
    @Test
    void C7_noAdmissionWaitsForAReloadThatIsStopped() {
        try (Subject subject = new Subject()) {
            Stops stops = new Stops(subject.registry);
            for (String name : List.of("held", "changing", "same")) {
                stops.names.add(subject.registry.limiter(name));
            }
            Registration observed = subject.registry.names().observe(stops);
            for (int i = 0; i < 2 * TURNS.size(); i++) {
                subject.write(document(++subject.number));
            }
            observed.close();
            assertEquals(2 * TURNS.size() + 1, subject.inForce.get());
            assertNull(stops.waits.get());
            assertTrue(stops.count.get() > 2 * TURNS.size(), stops.count::toString);
        }
    }

    /** Stops the thread that applies a document wherever it tells of a part. */
    private static final class Stops implements RegistryObserver {
        final List<NamedLimiter> names = new ArrayList<>();
        final AtomicInteger count = new AtomicInteger();
        final AtomicReference<@Nullable String> waits = new AtomicReference<>();
        private final LimiterRegistry registry;

        Stops(LimiterRegistry registry) {
            this.registry = registry;
        }

        @Override
        public Registration onLimiter(LimiterView limiter) {
            return stop("limiter " + limiter.name());
        }

        @Override
        public Registration onQueue(QueueView queue) {
            return stop("queue " + queue.name());
        }

        @Override
        public Registration onControl(ControlView control) {
            return stop("control");
        }

        private Registration stop(String part) {
            await(part + " comes");
            return () -> await(part + " goes");
        }

        private void await(String where) {
            if (waits.get() == null) {
                Thread admitted = new Thread(this::admit, "admitted");
                admitted.setDaemon(true);
                admitted.start();
                try {
                    admitted.join(HANGS.toMillis());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                if (admitted.isAlive()) {
                    waits.set("an admission waits while " + where);
                }
                count.getAndIncrement();
            }
        }

        private void admit() {
            for (NamedLimiter limiter : names) {
                released(limiter.tryAcquire());
                limiter.acquireAsync(Request.ONE).thenAccept(ReloadStressTest::released);
            }
            registry.names().names();
        }
    }

    private static void assertTheLastOneWins(Subject subject) {
        for (int i = 0; i < 50; i++) {
            subject.write(document(++subject.number));
        }
        long last = 3_000_000_000L;
        subject.source.write("{ document: { version: " + last + ", replaces: " + (subject.number + 1)
                + " }, removed: [changing, guest], limits: { held: { concurrency: 5 }, same: { concurrency: 7 } } }");
        await().until(() -> subject.registry.status().number() == last);
        assertEquals(List.of("held", "same"), subject.registry.names().names());
        for (String name : subject.registry.names().names()) {
            NamedLimiter limiter = subject.registry.limiter(name);
            assertEquals(0, limiter.snapshot().inFlight(), name);
            assertEquals(name.equals("held") ? 5 : 7, granted(limiter), name);
        }
    }

    private static int granted(NamedLimiter limiter) {
        List<Permit> permits = new ArrayList<>();
        while (limiter.tryAcquire() instanceof Permit permit) {
            permits.add(permit);
        }
        permits.forEach(permit -> permit.release(Outcome.IGNORED));
        return permits.size();
    }
}
