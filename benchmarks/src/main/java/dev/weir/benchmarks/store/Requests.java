package dev.weir.benchmarks.store;

import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Requests of a contender: how many were answered and refused, and how long some of them took. */
final class Requests {
    private final Contender contender;
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    private final long[] latencies;
    private final AtomicInteger timed = new AtomicInteger();

    /**
     * None yet.
     *
     * @param mostTimed of how many the latency is kept
     */
    Requests(Contender contender, int mostTimed) {
        this.contender = contender;
        latencies = new long[mostTimed];
    }

    /** Asks for a permit of a key, and releases one of the semaphore when there is an answer. */
    @SuppressWarnings("FutureReturnValueIgnored")
    void ask(int key, boolean isTimed, Semaphore inFlight) {
        long asked = isTimed ? System.nanoTime() : 0;
        CompletionStage<Boolean> answer = contender.tryAcquire(key);
        answer.whenComplete((granted, thrown) -> {
            answered.incrementAndGet();
            int index;
            if (thrown != null) {
                failed.compareAndSet(null, thrown);
            } else if (!granted) {
                refused.incrementAndGet();
            } else if (isTimed && (index = timed.getAndIncrement()) < latencies.length) {
                latencies[index] = System.nanoTime() - asked;
            }
            inFlight.release();
        });
    }

    /** From now on. */
    void reset() {
        answered.set(0);
        refused.set(0);
        timed.set(0);
    }

    long answered() {
        return answered.get();
    }

    long refused() {
        return refused.get();
    }

    /** Throws what the contender has failed with, if it has. */
    void check() {
        Throwable thrown = failed.get();
        if (thrown != null) {
            throw new IllegalStateException(thrown);
        }
    }

    /** These percentiles, in milliseconds; 0 if nothing was granted. */
    double[] percentiles(double... shares) {
        long[] sorted = Arrays.copyOf(latencies, Math.min(timed.get(), latencies.length));
        Arrays.sort(sorted);
        return Arrays.stream(shares)
                .map(share -> sorted.length == 0
                        ? 0
                        : sorted[(int) Math.min(sorted.length - 1L, (long) (sorted.length * share))] / 1e6)
                .toArray();
    }
}
