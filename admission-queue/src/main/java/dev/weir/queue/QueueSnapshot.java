package dev.weir.queue;

/**
 * A queue at one instant, and how requests ended since its beginning. Each request is counted once: where it waited, or
 * was refused without waiting. A permit granted without waiting is in the limiter's own counts alone.
 *
 * @param name the limiter's name
 * @param spec what the queue is like
 * @param length how many wait
 * @param permits how many permits they ask for together
 * @param headAgeNanos for how long the longest of them has waited; 0 if nobody waits
 * @param predictedWaitNanos how long a newcomer would wait at least, at the fastest pace of the last grants; 0 = not at
 *     all, or not known
 * @param granted how many waited and got their permits
 * @param limited how many would not wait and were refused, as {@code RATE} or {@code CONCURRENCY}
 * @param timedOut how many waited in vain until their time was over, or were refused at once because it would be
 * @param shed how many were given up by the discipline, or by the limiter
 * @param full how many were refused because the queue was full
 * @param cancelled how many were taken back: interrupted, cancelled, the queue or the limiter closed
 * @param never how many asked for more than could ever be granted
 * @param failures how often code it called failed: observers, disciplines, executors
 */
public record QueueSnapshot(
        String name,
        QueueSpec spec,
        int length,
        long permits,
        long headAgeNanos,
        long predictedWaitNanos,
        long granted,
        long limited,
        long timedOut,
        long shed,
        long full,
        long cancelled,
        long never,
        long failures) {}
