package dev.weir.spring.boot;

import dev.weir.internal.Require;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code weir.source}: where the document is, if it is not in the environment, and how it is followed.
 *
 * @param file a document in YAML or JSON; null = the environment has the document
 * @param readEvery how often the file is read
 * @param lastGood a file in which the last good document is kept; null = none
 * @param instance the name of this instance, the same after a restart; null = by the host
 * @param startWithin how long the start waits for a source that is far
 * @param failOnProblems whether problems of the first document of another source than the environment stop the start
 */
@ConfigurationProperties(prefix = "weir.source", ignoreUnknownFields = false)
record SourceProperties(
        @Nullable String file,
        @Nullable Duration readEvery,
        @Nullable String lastGood,
        @Nullable String instance,
        @DefaultValue("5s") Duration startWithin,
        @DefaultValue("true") boolean failOnProblems) {
    SourceProperties {
        if (readEvery != null && file == null) {
            throw new IllegalArgumentException("read-every must not be given without file");
        }
        if (readEvery != null && (readEvery.isZero() || readEvery.isNegative())) {
            throw new IllegalArgumentException("read-every must be > 0, was " + readEvery);
        }
        Require.that(!startWithin.isNegative(), "start-within must be >= 0", startWithin);
        if (instance != null && instance.isBlank()) {
            throw new IllegalArgumentException("instance must not be blank");
        }
    }
}
