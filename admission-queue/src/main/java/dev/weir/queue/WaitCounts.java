package dev.weir.queue;

import dev.weir.Rejection.Reason;

/** The counts of waits of one queue, by how they ended. Guarded by the monitor of its wait list. */
final class WaitCounts {
    private final long[] rejections = new long[Reason.values().length];
    private long granted;
    private long failures;

    void granted() {
        granted++;
    }

    void refused(Reason reason) {
        rejections[reason.ordinal()]++;
    }

    void failed() {
        failures++;
    }

    private long of(Reason reason) {
        return rejections[reason.ordinal()];
    }

    QueueSnapshot snapshot(
            String name, QueueSpec spec, int length, long permits, long oldestAgeNanos, long predictedWaitNanos) {
        return new QueueSnapshot(
                name,
                spec,
                length,
                permits,
                oldestAgeNanos,
                predictedWaitNanos,
                granted,
                of(Reason.RATE) + of(Reason.CONCURRENCY) + of(Reason.UNAVAILABLE) + of(Reason.SUSPENDED),
                of(Reason.TIMED_OUT),
                of(Reason.SHED),
                of(Reason.QUEUE_FULL),
                of(Reason.CANCELLED),
                of(Reason.NEVER) + of(Reason.KEY_MISSING),
                failures);
    }
}
