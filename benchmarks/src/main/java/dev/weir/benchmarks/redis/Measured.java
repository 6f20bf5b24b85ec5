package dev.weir.benchmarks.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** One contender and what was measured of it. */
final class Measured implements AutoCloseable {
    private static final int IN_FLIGHT = 128;
    private static final long TURN_NANOS = 1_000_000_000;
    /** Latencies of one decision in so many are kept. */
    private static final int ONE_IN = 16;

    private final Contender contender;
    private final List<Double> perSecond = new ArrayList<>();
    private final List<Double> p99 = new ArrayList<>();
    private final AtomicLong refused = new AtomicLong();
    private final long[] latencies = new long[1 << 21];
    private final AtomicInteger kept = new AtomicInteger();

    Measured(Contender contender) {
        this.contender = contender;
    }

    /** Asks for a second. */
    void turn(boolean warmUp) throws InterruptedException {
        Semaphore inFlight = new Semaphore(IN_FLIGHT);
        kept.set(0);
        refused.set(0);
        long begin = System.nanoTime();
        long count = 0;
        while (System.nanoTime() - begin < TURN_NANOS) {
            inFlight.acquire();
            ask(inFlight, count++ % ONE_IN == 0);
        }
        inFlight.acquire(IN_FLIGHT);
        if (!warmUp) {
            perSecond.add(count * 1e9 / (System.nanoTime() - begin));
            int taken = Math.min(kept.get(), latencies.length);
            p99.add(RedisComparison.percentile(latencies, taken, 0.99) / 1e3);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void ask(Semaphore inFlight, boolean timed) {
        long asked = timed ? System.nanoTime() : 0;
        CompletionStage<Boolean> answer = contender.tryAcquire();
        answer.whenComplete((granted, thrown) -> {
            if (thrown != null) {
                throw new IllegalStateException(thrown);
            }
            if (!granted) {
                refused.incrementAndGet();
            }
            int index;
            if (timed && (index = kept.getAndIncrement()) < latencies.length) {
                latencies[index] = System.nanoTime() - asked;
            }
            inFlight.release();
        });
    }

    String name() {
        return contender.name();
    }

    double perSecond() {
        return RedisComparison.median(perSecond);
    }

    double p99Micros() {
        return RedisComparison.median(p99);
    }

    /** In the last turn. */
    long refused() {
        return refused.get();
    }

    @Override
    public void close() {
        contender.close();
    }
}
