package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.store.StoreRateLimiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Threads that ask limiters, without stopping at anything, until closed. */
final class NemesisLoad implements AutoCloseable {
    private static final int THREADS = 4;
    private static final long PAUSE_NANOS = 200_000;
    private static final int MAX_MILLIS = 5_000;
    private static final long SAMPLE_NANOS = 100_000_000;

    private final Ticker ticker = Ticker.system();
    private final long start = ticker.read();
    private final LongAdder calls = new LongAdder();
    private final LongAdder granted = new LongAdder();
    private final LongAdder byRedis = new LongAdder();
    private final AtomicLongArray millis = new AtomicLongArray(MAX_MILLIS + 1);
    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<String> series = new ConcurrentLinkedQueue<>();
    private volatile String fault = "";
    private volatile boolean ended;

    private NemesisLoad() {}

    /** Each limiter is another instance. */
    static NemesisLoad of(List<StoreRateLimiter> limiters) {
        NemesisLoad load = new NemesisLoad();
        for (int i = 0; i < THREADS; i++) {
            StoreRateLimiter limiter = limiters.get(i % limiters.size());
            load.start("nemesis-load-" + i, () -> load.ask(limiter));
        }
        load.start("nemesis-series", load::sample);
        return load;
    }

    private void start(String name, Runnable action) {
        Thread thread = new Thread(action, name);
        threads.add(thread);
        thread.start();
    }

    private void ask(StoreRateLimiter limiter) {
        while (!ended) {
            long asked = ticker.read();
            try {
                Decision decision = limiter.acquire(Request.ONE, Duration.ZERO);
                calls.increment();
                if (decision instanceof Permit permit) {
                    granted.increment();
                    byRedis.add(permit.quota() == null ? 0 : 1);
                    permit.release(Outcome.SUCCESS);
                }
            } catch (Throwable t) {
                calls.increment();
                thrown.add(t);
            }
            long took = (ticker.read() - asked) / 1_000_000;
            millis.incrementAndGet((int) Math.min(MAX_MILLIS, took));
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void sample() {
        long lastAll = 0;
        long lastByRedis = 0;
        for (long next = SAMPLE_NANOS; !ended; next += SAMPLE_NANOS) {
            LockSupport.parkNanos(next - (ticker.read() - start));
            long redis = byRedis.sum();
            long all = granted.sum();
            long here = all - lastAll - (redis - lastByRedis);
            series.add(next / 1_000_000 + "," + (redis - lastByRedis) + "," + here + "," + fault);
            lastAll = all;
            lastByRedis = redis;
        }
    }

    /** Marks the time from now on in the series; empty = nothing is wrong. */
    void mark(String name) {
        fault = name;
    }

    /** That have returned. */
    long calls() {
        return calls.sum();
    }

    long granted() {
        return granted.sum();
    }

    /** Ends the threads, checks that nothing was thrown and no call was lost, and prints how long calls took. */
    void check(String name, Duration timeout) {
        close();
        assertEquals(List.of(), new ArrayList<>(thrown), name);
        long all = calls.sum();
        long timed = 0;
        long late = 0;
        int p999 = 0;
        for (int i = 0; i <= MAX_MILLIS; i++) {
            timed += millis.get(i);
            late += i > timeout.toMillis() + 10 ? millis.get(i) : 0;
            p999 = timed - millis.get(i) < all * 0.999 ? i : p999;
        }
        assertEquals(all, timed, "each call has returned");
        assertTrue(all > 0);
        System.out.printf(
                ">>> %s: %,d calls, %,d granted, p99.9 %d ms, %d calls later than time-out + 10 ms%n",
                name, all, granted.sum(), p999, late);
    }

    /** A picture of what was granted by Redis and by the instances. */
    void drawSeries(Path file, long limit) throws IOException {
        Files.writeString(file, SeriesPicture.of(List.copyOf(series), limit));
    }

    @Override
    public void close() {
        ended = true;
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
