package dev.weir.named.status;

import dev.weir.named.plan.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The state of a {@code LimiterRegistry}: the document in force, and the health of its source.
 *
 * @param source the name of the source; empty = none
 * @param up whether the source could be read the last time
 * @param version the version in force; empty = none
 * @param number the number that it states; 0 = none
 * @param author who wrote the document in force; empty = unknown
 * @param reason why; empty = unknown
 * @param since when it was put in force, by the clock of the registry; the epoch = none
 * @param age how long ago that was; zero = none
 * @param problems what is wrong with the document in force: the limits and values that are named there keep earlier settings;
 *     while none is in force, what keeps the last one that was read from it
 * @param orphans the names that the document in force does not have, and whose last good settings stay
 * @param accepted how many documents were put in force
 * @param refused how many were refused, each counted once however often it was read
 * @param failures how often a listener, an observer or a factory threw
 */
public record ConfigStatus(
        String source,
        boolean up,
        String version,
        long number,
        String author,
        String reason,
        Instant since,
        Duration age,
        List<Problem> problems,
        List<String> orphans,
        long accepted,
        long refused,
        long failures) {
    /** Copies the lists. */
    public ConfigStatus {
        problems = List.copyOf(problems);
        orphans = List.copyOf(orphans);
    }
}
