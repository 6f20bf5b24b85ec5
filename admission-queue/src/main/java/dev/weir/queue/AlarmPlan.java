package dev.weir.queue;

import org.jspecify.annotations.Nullable;

/**
 * The time at which a queue's alarm has to fire next: the earliest deadline, or the next retry. Guarded by the wait list's
 * monitor.
 */
final class AlarmPlan {
    /** By how much an alarm may be late before it counts as lost. */
    private static final long LATE_NANOS = 1_000_000;

    private final DeadlineHeap deadlines = new DeadlineHeap();
    /** The alarm that is set and has not fired. */
    @Nullable
    AlarmSetting pending;

    private boolean retries;
    private long retryAt;

    void add(QueuedRequest waiter) {
        if (waiter.completion != null && waiter.timesOut()) {
            deadlines.add(waiter);
        }
    }

    void remove(QueuedRequest waiter) {
        deadlines.remove(waiter);
    }

    /** Plans a retry at this time, unless an earlier one is planned. */
    void retryAt(long time) {
        if (!retries || time - retryAt < 0) {
            retryAt = time;
        }
        retries = true;
    }

    void noRetry() {
        retries = false;
    }

    boolean isRetryDue(long now) {
        return retries && retryAt - now <= 0;
    }

    /** A waiter that has timed out; null if none has. */
    @Nullable
    QueuedRequest timedOut(long now) {
        QueuedRequest first = deadlines.earliest();
        return first != null && now - first.since >= first.timeoutNanos ? first : null;
    }

    /** The alarm that must be set now, which counts as set from here on; null if none. A lost alarm is replaced. */
    @Nullable
    AlarmSetting next(long now) {
        QueuedRequest first = deadlines.earliest();
        if (first == null && !retries) {
            return null;
        }
        long at = first == null ? retryAt : first.since + first.timeoutNanos;
        if (retries && retryAt - at < 0) {
            at = retryAt;
        }
        AlarmSetting set = pending;
        if (set != null && set.at - at <= 0 && now - set.at <= LATE_NANOS) {
            return null;
        }
        long delay = Math.max(1, at - now);
        pending = new AlarmSetting(now + delay, delay, set);
        return pending;
    }

    /** This alarm fired, or could not be set. */
    void cleared(AlarmSetting setting) {
        if (pending == setting) {
            pending = null;
        }
    }
}
