package dev.weir.queue;

import io.github.resilience4j.core.IntervalFunction;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a line is like: how long it may grow, who is next, and whether newcomers may overtake. Immutable; a queue can be
 * given another one while it runs.
 *
 * @param capacity how many may wait, at least 0; 0 = nobody
 * @param maxPermits how many permits those who wait may ask for together, at least 1; {@link Long#MAX_VALUE} = any number
 * @param discipline who is next
 * @param askingAgain null for a fair line: nobody overtakes those who wait. Else the line is unfair: newcomers are asked
 *     for first, and a waiter asks again when permits come home and after {@code askingAgain.apply(n)} milliseconds from
 *     his n-th refusal, counted from 1; see {@link AdmissionQueue#HANDED_OVER_AFTER}
 */
public record QueueSpec(
        int capacity,
        long maxPermits,
        DisciplineSpec discipline,
        @Nullable IntervalFunction askingAgain) {
    /** Checks the components. */
    public QueueSpec {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity must be >= 0, was " + capacity);
        }
        if (maxPermits < 1) {
            throw new IllegalArgumentException("maxPermits must be >= 1, was " + maxPermits);
        }
        Objects.requireNonNull(discipline, "discipline");
    }

    /** A fair line, first come, first served, for so many. */
    public static QueueSpec of(int capacity) {
        return new QueueSpec(capacity, Long.MAX_VALUE, new Fifo(), null);
    }

    /** The same with another discipline. */
    public QueueSpec by(DisciplineSpec other) {
        return new QueueSpec(capacity, maxPermits, other, askingAgain);
    }

    /** The same for requests of at most so many permits together. */
    public QueueSpec holding(long permits) {
        return new QueueSpec(capacity, permits, discipline, askingAgain);
    }

    /** The same, but newcomers may overtake and waiters ask again on this schedule. */
    public QueueSpec unfair(IntervalFunction schedule) {
        return new QueueSpec(capacity, maxPermits, discipline, Objects.requireNonNull(schedule, "schedule"));
    }

    boolean isFair() {
        return askingAgain == null;
    }
}
