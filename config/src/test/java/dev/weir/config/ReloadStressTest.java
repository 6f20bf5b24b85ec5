package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Documents that change everything, thousands a second, under threads that take and release permits all the time. What these have
 * is counted here, outside of the library.
 */
@Tag("proof")
@Timeout(300)
class ReloadStressTest {
    private static final Duration TIME =
            Stress.of(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofSeconds(60));
    private static final int RATE = 10_000;
    private static final int THREADS = 2;
    private static final long STALL = Duration.ofMillis(5).toNanos();
    private static final int MOST = 8;

    private final MemorySource source = new MemorySource();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong changed = new AtomicLong();
    private final AtomicBoolean stop = new AtomicBoolean();

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

    /** Each says something else than the one before: algorithms, limits, queues, disciplines, adaptive controls, names. */
    private static String document(long number) {
        int turn = (int) (number % 12);
        String queue = List.of("", ", queue: 5", ", queue: { capacity: 9, discipline: lifo }")
                .get(turn % 3);
        String adaptive = turn % 4 == 1 ? ", adaptive: { min: 1, max: " + MOST + " }" : "";
        String changing = List.of(
                        "rate: 1000000/s",
                        "concurrency: 3",
                        "algorithm: counter, concurrency: 5",
                        "all-of: [ { concurrency: 4 }, { rate: 1000000/s } ]")
                .get(turn % 4);
        return "{ document: { version: " + (number + 1) + " }, limits: {"
                + " held: { concurrency: " + (1 + turn % MOST) + queue + adaptive + " },"
                + " changing: { " + changing + queue + " },"
                + (turn % 2 == 0 ? " guest: { concurrency: 2, queue: 3 }," : "")
                + " same: { concurrency: 6, queue: 4 } } }";
    }

    private LimiterRegistry registry() {
        source.write(document(0));
        return LimiterRegistry.builder()
                .source(source)
                .onEvent(event -> {
                    if (event instanceof ConfigEvent.Changed good
                            && good.problems().isEmpty()) {
                        changed.getAndIncrement();
                    } else {
                        refused.getAndIncrement();
                    }
                })
                .build();
    }

    private void load(LimiterRegistry registry, Times times, AtomicLong inFlight, AtomicLong most) {
        ManagedLimiter held = registry.limiter("held");
        ManagedLimiter changing = registry.limiter("changing");
        AdmissionQueue queue = registry.queue("same");
        AdmissionQueue other = registry.queue("held");
        for (long i = 0; !stop.get(); i++) {
            long start = System.nanoTime();
            Decision decision = held.tryAcquire();
            times.add(System.nanoTime() - start);
            if (decision instanceof Permit permit) {
                most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                inFlight.decrementAndGet();
                permit.release(Outcome.SUCCESS);
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
    }

    private static void released(Decision decision) {
        if (decision instanceof Permit permit) {
            permit.release(Outcome.SUCCESS);
        }
    }

    /** Runs this under load, and returns how long admissions took. */
    private Times underLoad(LimiterRegistry registry, Runnable work) throws InterruptedException {
        Times times = new Times();
        AtomicLong inFlight = new AtomicLong();
        AtomicLong most = new AtomicLong();
        stop.set(false);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> load(registry, times, inFlight, most), "load-" + i);
            threads.add(thread);
            thread.start();
        }
        work.run();
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, inFlight.get());
        assertTrue(most.get() <= MOST, () -> "in flight " + most);
        return times;
    }

    private void rest() {
        LockSupport.parkNanos(TIME.toNanos());
    }

    @Test
    void C7_tenThousandReloadsASecondUnderLoad() throws Exception {
        try (LimiterRegistry registry = registry()) {
            underLoad(registry, () -> reload(registry, 1, Duration.ofSeconds(1)));
            Times control = underLoad(registry, this::rest);
            int threads = Thread.activeCount();
            long[] written = {0};
            long start = System.nanoTime();
            long first = changed.get();
            Times reloaded = underLoad(registry, () -> written[0] = reload(registry, 1_000_000, TIME));
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "reloads: %,d written, %,.0f applied a second%n  without: %s%n  with:    %s%n",
                    written[0],
                    (changed.get() - first) / seconds,
                    control,
                    reloaded);
            assertEquals(0, refused.get());
            assertTrue(Thread.activeCount() <= threads + 3, () -> "threads " + threads + " -> " + Thread.activeCount());
            assertLast(registry);
        }
    }

    /** Writes documents for this time, each after the one before was taken, and returns how many. */
    private long reload(LimiterRegistry registry, long from, Duration time) {
        long start = System.nanoTime();
        long number = from;
        while (System.nanoTime() - start < time.toNanos()) {
            source.write(document(number));
            number++;
            while (registry.status().number() != number) {
                Thread.onSpinWait();
            }
            LockSupport.parkNanos(start + (number - from) * 1_000_000_000L / RATE - System.nanoTime());
        }
        return number - from;
    }

    private void assertLast(LimiterRegistry registry) {
        for (int i = 1; i < 50; i++) {
            source.write(document(2_000_000 + i));
        }
        source.write(
                "{ document: { version: 3000000 }, limits: { held: { concurrency: 5 }, same: { concurrency: 7 } } }");
        org.awaitility.Awaitility.await().until(() -> registry.status().number() == 3_000_000);
        assertEquals(List.of("held", "same"), registry.names());
        assertEquals(5, granted(registry.limiter("held")));
        assertEquals(7, granted(registry.limiter("same")));
        assertEquals(0, registry.limiter("held").inFlight());
        assertEquals(0, registry.limiter("same").inFlight());
    }

    private static int granted(ManagedLimiter limiter) {
        List<Permit> permits = new ArrayList<>();
        while (limiter.tryAcquire() instanceof Permit permit) {
            permits.add(permit);
        }
        permits.forEach(permit -> permit.release(Outcome.IGNORED));
        return permits.size();
    }
}
