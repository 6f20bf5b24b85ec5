package dev.weir.queue;

import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a queue is like: how long it may grow, who is next, how long callers wait, and whether newcomers may overtake.
 * Immutable; a queue can be given another one while it runs.
 *
 * @param capacity how many may wait, at least 0; 0 = nobody
 * @param maxPermits how many permits those who wait may ask for together, at least 1; {@link Long#MAX_VALUE} = any number
 * @param discipline who is next
 * @param askingAgain null for a fair queue: nobody overtakes those who wait. Else the queue is unfair: newcomers are asked
 *     for first, and a waiter asks again when permits are released and after {@code askingAgain.apply(n)} milliseconds
 *     from its n-th refusal, counted from 1; see {@link AdmissionQueue#HAND_OFF_AFTER}
 * @param maxWait how long those wait who do not say how long; zero = not at all
 * @param predictive whether a newcomer is refused at once, as {@code TIMED_OUT}, when even at the fastest pace of the last
 *     128 or more grants its turn would come after its time is over. Simulated at 80 % of what a server can bear, fewer
 *     than 1 in 1,000 were refused that would have been granted in time; close to overload and above it the queue chooses
 *     who is refused, and more of them might have been granted in another's place
 */
public record QueueSpec(
        int capacity,
        long maxPermits,
        DisciplineSpec discipline,
        @Nullable IntervalFunction askingAgain,
        Duration maxWait,
        boolean predictive) {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** Checks the components. */
    public QueueSpec {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity must be >= 0, was " + capacity);
        }
        if (maxPermits < 1) {
            throw new IllegalArgumentException("maxPermits must be >= 1, was " + maxPermits);
        }
        Objects.requireNonNull(discipline, "discipline");
        if (maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait must be >= 0, was " + maxWait);
        }
    }

    /** A fair queue, first come, first served, for so many, who wait for ever unless they say how long. */
    public static QueueSpec of(int capacity) {
        return new QueueSpec(capacity, Long.MAX_VALUE, new Fifo(), null, FOR_EVER, false);
    }

    /** The same with another discipline. */
    public QueueSpec by(DisciplineSpec other) {
        return new QueueSpec(capacity, maxPermits, other, askingAgain, maxWait, predictive);
    }

    /** The same for requests of at most so many permits together. */
    public QueueSpec holding(long permits) {
        return new QueueSpec(capacity, permits, discipline, askingAgain, maxWait, predictive);
    }

    /** The same, but newcomers may overtake and waiters ask again on this schedule. */
    public QueueSpec unfair(IntervalFunction schedule) {
        Objects.requireNonNull(schedule, "schedule");
        return new QueueSpec(capacity, maxPermits, discipline, schedule, maxWait, predictive);
    }

    /** The same, but who does not say how long waits for this time at most. */
    public QueueSpec waiting(Duration time) {
        return new QueueSpec(capacity, maxPermits, discipline, askingAgain, time, predictive);
    }

    /** The same, but refusing at once who is predicted to time out; see {@link #predictive()}. */
    public QueueSpec refusingDoomed() {
        return new QueueSpec(capacity, maxPermits, discipline, askingAgain, maxWait, true);
    }

    boolean isFair() {
        return askingAgain == null;
    }
}
