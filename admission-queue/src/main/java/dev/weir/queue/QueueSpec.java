package dev.weir.queue;

import dev.weir.internal.Require;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The specification of an {@link AdmissionQueue}: its capacity, its discipline, the default timeout, and whether new requests may
 * overtake. Immutable; a queue may get another one while it runs. From the sample {@code S08_TenantFairQueue}:
 *
 * <pre>{@code
 * QueueSpec.of(12).by(discipline)
 * }</pre>
 *
 * <p>where the discipline is one of the records in {@link dev.weir.queue.discipline}, such as {@link Fifo} or {@link
 * dev.weir.queue.discipline.FairShare}; {@link AdmissionQueue} lists them.
 *
 * @param capacity how many requests may wait, at least 0; 0 = none. A request that would be more is refused on arrival
 * @param maxPermits how many permits the waiting requests may request together, on arrival of each, at least 1;
 *     {@link Long#MAX_VALUE} = any number
 * @param discipline decides which waiter is next
 * @param retrySchedule null for a fair queue: no request overtakes those that wait. Otherwise the queue is unfair: new
 *     requests are tried first, and a waiter is tried again when permits are released and {@code retrySchedule.apply(n)}
 *     milliseconds after its n-th rejection, counted from 1; see {@link AdmissionQueue#HAND_OFF_AFTER}
 * @param maxWait how long requests wait that come without a {@code maxWait} of their own; zero = not at all
 * @param predictive whether a new request is refused at once, as {@code TIMED_OUT}, if it would time out before it is next, even
 *     at the fastest rate of the last 128 or more grants. In a simulation at 80 % of a server's capacity, fewer than 1 in
 *     1,000 requests were refused that would have been granted in time; close to overload and above it the queue chooses
 *     which requests are refused, and more of them might have been granted in place of others
 */
public record QueueSpec(
        int capacity,
        long maxPermits,
        DisciplineSpec discipline,
        @Nullable IntervalFunction retrySchedule,
        Duration maxWait,
        boolean predictive) {
    private static final Duration UNBOUNDED = Duration.ofSeconds(Long.MAX_VALUE);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if {@code capacity < 0}, {@code maxPermits < 1} or {@code maxWait} is negative
     */
    public QueueSpec {
        Require.that(capacity >= 0, "capacity must be >= 0", capacity);
        Require.that(maxPermits >= 1, "maxPermits must be >= 1", maxPermits);
        Objects.requireNonNull(discipline, "discipline");
        Require.that(!maxWait.isNegative(), "maxWait must be >= 0", maxWait);
    }

    /** A fair queue with this capacity, first come, first served, without a default timeout. */
    public static QueueSpec of(int capacity) {
        return new QueueSpec(capacity, Long.MAX_VALUE, new Fifo(), null, UNBOUNDED, false);
    }

    /** A copy with this discipline, one of those that {@link AdmissionQueue} lists or another {@link DisciplineSpec}. */
    public QueueSpec by(DisciplineSpec other) {
        return new QueueSpec(capacity, maxPermits, other, retrySchedule, maxWait, predictive);
    }

    /** A copy for waiting requests of at most this number of permits together. */
    public QueueSpec holding(long permits) {
        return new QueueSpec(capacity, permits, discipline, retrySchedule, maxWait, predictive);
    }

    /** A copy in which new requests may overtake, and waiters are tried again on this schedule. */
    public QueueSpec unfair(IntervalFunction schedule) {
        Objects.requireNonNull(schedule, "schedule");
        return new QueueSpec(capacity, maxPermits, discipline, schedule, maxWait, predictive);
    }

    /** A copy with this default timeout. */
    public QueueSpec waiting(Duration time) {
        return new QueueSpec(capacity, maxPermits, discipline, retrySchedule, time, predictive);
    }

    /** A copy that refuses at once the requests that are predicted to time out; see {@link #predictive()}. */
    public QueueSpec refusingDoomed() {
        return new QueueSpec(capacity, maxPermits, discipline, retrySchedule, maxWait, true);
    }

    boolean isFair() {
        return retrySchedule == null;
    }
}
