package dev.weir.samples;

import dev.weir.Limiter;
import dev.weir.Permit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** A count of permits by the handler itself, without asking the limiter. Thread-safe. */
final class Ledger {
    /*
     * A permit is counted after it was granted and no longer counted before it is returned, so the count is never above
     * the limiter's own. All `now` permits of an admission were out at one instant, that of the youngest one's grant,
     * which lies between this caller's asking and its counting: `now` must not exceed the highest limit in force
     * between the two. `bound` is raised before a limit is and lowered after it was (LedgerSource does both), so the greater
     * of its values before and after covers all between, unless two documents come within one admission: the samples wait
     * for one before they write the next.
     */
    private final AtomicLong out = new AtomicLong();
    private final AtomicLong highest = new AtomicLong();
    private final LongAdder granted = new LongAdder();
    private final LongAdder returned = new LongAdder();
    private final LongAdder over = new LongAdder();
    private final LongAdder overRate = new LongAdder();
    private final LongAdder overConcurrency = new LongAdder();
    private final ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
    private volatile long bound;

    /** Running totals. */
    record Totals(long granted, long returned, long overRate, long overConcurrency, long over) {}

    /** The figures since the last reading: the most permits in flight at an admission, and latencies in nanoseconds. */
    record Interval(long highest, long p50, long p99) {}

    Ledger(long limit) {
        bound = limit;
    }

    long bound() {
        return bound;
    }

    /** The number of permits that are out. */
    long out() {
        return out.get();
    }

    void setBound(long limit) {
        bound = limit;
    }

    /** Enters an admission; {@code boundBefore} was read before asking for it. */
    void admitted(long boundBefore) {
        long now = out.incrementAndGet();
        granted.increment();
        highest.accumulateAndGet(now, Math::max);
        if (now > Math.max(boundBefore, bound)) {
            over.increment();
        }
    }

    void leaving(long nanos) {
        out.decrementAndGet();
        latencies.add(nanos);
    }

    void returned() {
        returned.increment();
    }

    void refused(boolean forRate) {
        (forRate ? overRate : overConcurrency).increment();
    }

    Totals totals() {
        return new Totals(granted.sum(), returned.sum(), overRate.sum(), overConcurrency.sum(), over.sum());
    }

    Interval next() {
        long[] sorted = new long[latencies.size()];
        Arrays.setAll(sorted, i -> latencies.remove());
        Arrays.sort(sorted);
        return new Interval(highest.getAndSet(0), percentile(sorted, 50), percentile(sorted, 99));
    }

    /** The permits that are free, at most this many: takes them all, and releases them. */
    static long free(Limiter limiter, int most) {
        List<Permit> taken = new ArrayList<>();
        while (taken.size() < most && limiter.tryAcquire() instanceof Permit permit) {
            taken.add(permit);
        }
        taken.forEach(Permit::close);
        return taken.size();
    }

    /** Begins a new look at the most permits out, after a limit was lowered and what was over it has drained. */
    void forgetHighest() {
        highest.set(0);
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(int) ((long) (sorted.length - 1) * percent / 100)];
    }
}
