package dev.weir.config;

import java.time.Duration;

/**
 * The state of a {@link LimiterRegistry}: the document in force, and the health of its source.
 *
 * @param source the name of the source; empty = none
 * @param up whether the source could be read the last time
 * @param version the version in force; empty = none
 * @param number the number that it states; 0 = none
 * @param age how long ago it was put in force; zero = none
 * @param accepted how many documents were put in force
 * @param refused how many were refused, each counted once however often it was read
 * @param failures how often a listener, an observer or a factory threw
 */
public record ConfigStatus(
        String source,
        boolean up,
        String version,
        long number,
        Duration age,
        long accepted,
        long refused,
        long failures) {}
