package dev.weir.queue;

/**
 * A queue at one instant, and what became of those who came. The counts are since its beginning, and of those who had to
 * wait or were refused at the door; who was granted a permit at once is in the limiter's own counts.
 *
 * @param name the limiter's name
 * @param spec what the line is like
 * @param length how many wait
 * @param permits how many permits they ask for together
 * @param headAgeNanos for how long the longest of them has waited; 0 if nobody waits
 * @param predictedWaitNanos how long a newcomer would wait, as far as is known; 0 = not at all, or not known
 * @param granted how many waited and got their permits
 * @param timedOut how many waited in vain until their time was over, or were told at the door that it would be
 * @param shed how many were given up by the discipline
 * @param full how many were refused because the line was full
 * @param cancelled how many were taken back: interrupted, cancelled, the queue or the limiter closed
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
        long timedOut,
        long shed,
        long full,
        long cancelled,
        long failures) {}
