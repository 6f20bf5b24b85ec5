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
import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import dev.weir.config.status.ConfigEvent;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
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
    private static final long STALL = Duration.ofMillis(5).toNanos();
    private static final int MOST = 8;

    private static final Ticker CLOCK = Ticker.system();
    private static final int ROUNDS = 4;
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

    /** How long acquiring took, in powers of two of nanoseconds. */
    private static final class Times {
        private final AtomicLongArray counts = new AtomicLongArray(64);
        private final AtomicLong stalls = new AtomicLong();

        void add(long nanos) {
            counts.getAndIncrement(64 - Long.numberOfLeadingZeros(Math.max(1, nanos)));
            if (nanos > STALL) {
                stalls.getAndIncrement();
            }
        }

        long total() {
            long sum = 0;
            for (int i = 0; i < counts.length(); i++) {
                sum += counts.get(i);
            }
            return sum;
        }

        /** In microseconds, rounded up to a power of two of nanoseconds. */
        double quantile(double share) {
            long left = (long) Math.ceil(total() * share);
            int at = 0;
            while (at < 63 && left > counts.get(at)) {
                left -= counts.get(at++);
            }
            return (1L << at) / 1e3;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%,d admissions, p50 %.1f us, p99 %.1f us, p99.9 %.1f us, p99.99 %.1f us, max %.1f us, %d above 5 ms",
                    total(),
                    quantile(0.5),
                    quantile(0.99),
                    quantile(0.999),
                    quantile(0.9999),
                    quantile(1),
                    stalls.get());
        }
    }

    private record Both(Times limiters, Times queues) {
        static Both none() {
            return new Both(new Times(), new Times());
        }

        @Override
        public String toString() {
            return "\n    limiters: " + limiters + "\n    queues:   " + queues;
        }
    }

    /** Each says something else than the one before: algorithms, limits, queues, disciplines, adaptive controls, names. */
    private static String turn(int turn) {
        String queue = List.of("", ", queue: 5", ", queue: { capacity: 9, discipline: lifo }")
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

    private void load(Subject subject, Times times, Times queued, AtomicLong inFlight) {
        LimiterRegistry registry = subject.registry;
        NamedLimiter changing = registry.limiter("changing");
        NamedLimiter queue = registry.limiter("same");
        NamedLimiter other = registry.limiter("held");
        NamedLimiter held = registry.limiter("held");
        Deque<Permit> permits = new ArrayDeque<>();
        for (long i = 0; !stop.get(); i++) {
            long before = subject.inForce.get();
            if (timed(times, held::tryAcquire) instanceof Permit permit) {
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
            released(timed(times, changing::tryAcquire));
            if (i % 16 == 0) {
                released(timed(queued, () -> queue.tryAcquire(Request.ONE)));
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

    private static Decision timed(Times times, Supplier<Decision> call) {
        long start = CLOCK.read();
        Decision decision = call.get();
        times.add(CLOCK.read() - start);
        return decision;
    }

    private static void released(Decision decision) {
        if (decision instanceof Permit permit) {
            permit.release(Outcome.SUCCESS);
        }
    }

    /** Runs this under load, and adds how long admissions took. */
    private void underLoad(Subject subject, Both times, Runnable work) throws InterruptedException {
        AtomicLong inFlight = new AtomicLong();
        stop.set(false);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> load(subject, times.limiters, times.queues, inFlight), "load-" + i);
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

    /** In the control, the same documents go to another registry: the machine is as busy, but nothing under load is reloaded. */
    @Test
    void C7_tenThousandReloadsASecondUnderLoad() throws Exception {
        try (Subject subject = new Subject();
                Subject other = new Subject()) {
            underLoad(subject, Both.none(), () -> subject.reload(Duration.ofSeconds(1)));
            Set<Thread> threads = Thread.getAllStackTraces().keySet();
            Both control = Both.none();
            Both reloaded = Both.none();
            AtomicLong written = new AtomicLong();
            for (int i = 0; i < ROUNDS; i++) {
                underLoad(subject, control, () -> other.reload(TIME.dividedBy(ROUNDS)));
                underLoad(subject, reloaded, () -> written.addAndGet(subject.reload(TIME.dividedBy(ROUNDS))));
            }
            Set<Thread> threadsAfter = Thread.getAllStackTraces().keySet();
            System.out.printf(
                    Locale.ROOT,
                    "reloads: %,d a second, %d threads before and %d after%n  reloads elsewhere: %s%n  reloads here:      %s%n",
                    written.get() / TIME.toSeconds(),
                    threads.size(),
                    threadsAfter.size(),
                    control,
                    reloaded);
            assertNull(excess.get());
            assertEquals(0, subject.refused.get());
            assertTrue(threadsAfter.size() <= threads.size() + 3, () -> threads + " threads, then " + threadsAfter);
            assertNoMoreStalls(control.limiters, reloaded.limiters);
            assertNoMoreStalls(control.queues, reloaded.queues);
            assertTheLastOneWins(subject);
        }
    }

    /* Where more threads run than there are processors, each of them stalls sometimes. */
    private static void assertNoMoreStalls(Times control, Times reloaded) {
        double expected = (double) control.stalls.get() / control.total() * reloaded.total();
        assertTrue(
                reloaded.stalls.get() <= 3 * expected + 20 * TIME.toSeconds(),
                () -> "reloads here: " + reloaded + "\nreloads elsewhere: " + control);
    }

    private static void assertTheLastOneWins(Subject subject) {
        for (int i = 0; i < 50; i++) {
            subject.write(document(++subject.number));
        }
        long last = 3_000_000_000L;
        subject.source.write("{ document: { version: " + last + ", replaces: " + (subject.number + 1)
                + " }, removed: [changing, guest], limits: { held: { concurrency: 5 }, same: { concurrency: 7 } } }");
        await().until(() -> subject.registry.status().number() == last);
        assertEquals(List.of("held", "same"), subject.registry.names());
        for (String name : subject.registry.names()) {
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
