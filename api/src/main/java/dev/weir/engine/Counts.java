package dev.weir.engine;

import dev.weir.Rejection.Reason;
import java.util.concurrent.atomic.AtomicLongArray;

/** Running totals of what a limiter has done. Thread-safe; the totals are not read at one instant. */
public final class Counts {
    private static final int PASSED = Reason.values().length;
    private static final int ADMITTED = PASSED + 1;
    private static final int DOUBLE_RELEASES = PASSED + 2;
    private static final int FAILURES = PASSED + 3;
    private static final int STRIDE = 16;
    private static final int STRIPES =
            Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 2;

    /* Each stripe holds all totals and is two cache lines wide; a thread adds to the stripe that its id selects. */
    private final AtomicLongArray totals = new AtomicLongArray(STRIPES * STRIDE);

    Counts() {}

    /** Permits granted, including those to requests that were {@linkplain #passed let through}. */
    public long admitted() {
        return sum(ADMITTED);
    }

    /** Requests refused for this reason. */
    public long refused(Reason reason) {
        return sum(reason.ordinal());
    }

    /** Requests over the limit that were let through, because the enforced share was less than 1. */
    public long passed() {
        return sum(PASSED);
    }

    /** Releases of permits that had been released before; they did nothing. Counted from the beginning. */
    public long doubleReleases() {
        return sum(DOUBLE_RELEASES);
    }

    /** Exceptions of observers, listeners, classifiers and strategies that were ignored. Counted from the beginning. */
    public long failures() {
        return sum(FAILURES);
    }

    void countAdmitted(boolean passed) {
        add(ADMITTED);
        if (passed) {
            add(PASSED);
        }
    }

    void countRefused(Reason reason) {
        add(reason.ordinal());
    }

    void countDoubleRelease() {
        add(DOUBLE_RELEASES);
    }

    void countFailure() {
        add(FAILURES);
    }

    private void add(int column) {
        int stripe = (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 40) & (STRIPES - 1);
        totals.getAndIncrement(stripe * STRIDE + column);
    }

    private long sum(int column) {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += totals.get(stripe * STRIDE + column);
        }
        return sum;
    }
}
