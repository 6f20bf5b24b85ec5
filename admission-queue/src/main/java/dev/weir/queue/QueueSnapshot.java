package dev.weir.queue;

/**
 * A queue at one instant, and how its requests ended since its creation. Each request is counted once, by how its wait ended
 * or as a rejection without waiting. A permit granted without waiting is counted by the limiter alone.
 *
 * @param name the limiter's name
 * @param spec the specification in force
 * @param length how many requests wait
 * @param permits how many permits they request together
 * @param oldestAgeNanos how long the oldest of them has waited; 0 if none waits
 * @param predictedWaitNanos how long a new request would wait at least, at the fastest rate of the last grants; 0 = not at
 *     all, or not known
 * @param granted how many waited and were granted
 * @param limited how many did not wait and were refused, as {@code RATE}, {@code CONCURRENCY}, {@code UNAVAILABLE} or {@code SUSPENDED}
 * @param timedOut how many timed out, or were refused at once because they would
 * @param shed how many were shed by the discipline or by the limiter
 * @param full how many were refused because the queue was full
 * @param cancelled how many were withdrawn: interrupted, cancelled, or the queue or the limiter was closed
 * @param never how many were refused as {@code NEVER} or {@code KEY_MISSING}: they requested more than the limit, or had no key
 * @param failures exceptions of the code it called: observers, disciplines, executors
 */
public record QueueSnapshot(
        String name,
        QueueSpec spec,
        int length,
        long permits,
        long oldestAgeNanos,
        long predictedWaitNanos,
        long granted,
        long limited,
        long timedOut,
        long shed,
        long full,
        long cancelled,
        long never,
        long failures) {}
