package dev.weir.named.status;

import dev.weir.named.plan.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** An event in the configuration of a {@code LimiterRegistry}. */
public sealed interface ConfigEvent {
    /**
     * The name of the source; {@code "last good of ..."}, {@code "last good"}, {@code "values"}, {@code "override"} or
     * {@code "code"} for what is not a reading of it.
     */
    String source();

    /**
     * The event that a document is in force.
     *
     * @param version its version: the number that it states, {@code r} and the revision at the source, or the start of its digest
     * @param author who wrote it; empty = unknown
     * @param reason why; empty = unknown
     * @param differences what is different now; empty if only a version is
     * @param problems what is wrong with it: the limits and values that are named there keep their last settings
     */
    record Changed(
            String source,
            String version,
            String author,
            String reason,
            List<Difference> differences,
            List<Problem> problems)
            implements ConfigEvent {
        /** Checks the components. */
        public Changed {
            Objects.requireNonNull(source, "source");
            differences = List.copyOf(differences);
            problems = List.copyOf(problems);
        }
    }

    /**
     * The event that a document is not put in force. What was in force before remains so.
     *
     * @param version its version; of one that cannot be parsed {@code r} and its revision, or the start of its digest; empty =
     *     there is no document
     * @param held whether it is only held back: it is for a part of the instances, and this one is not among them yet
     * @param problems why, at least one
     */
    record Refused(String source, String version, boolean held, List<Problem> problems) implements ConfigEvent {
        /** Checks the components. */
        public Refused {
            Objects.requireNonNull(source, "source");
            problems = List.copyOf(problems);
        }
    }

    /**
     * The event that the document in force says nothing of names that had settings: these stay.
     *
     * @param version of the document
     * @param names those that are orphans now, at least one
     */
    record Orphaned(String source, String version, List<String> names) implements ConfigEvent {
        /** Copies the names. */
        public Orphaned {
            names = List.copyOf(names);
        }
    }

    /**
     * The event that a patch by hand is in force, or no longer; also that it does not fit the settings below it any more, or fits
     * them again: {@link LimitOverride#problem}. One that cannot be brought in force is a {@link Refused} of the source {@code
     * "override"}.
     *
     * @param limiter the name of the limit
     * @param override the patch, with what it changes
     * @param ended whether the settings below it are back
     */
    record Overridden(String source, String limiter, LimitOverride override, boolean ended) implements ConfigEvent {}

    /**
     * The event that code has suspended a name, or for longer than before: {@link dev.weir.Limiter#suspendFor}. If that is called often,
     * it is told once in a second, and each time that at least doubles what was told. That a suspension has ended is not told.
     *
     * @param limiter the name of the limit
     * @param time for how long, from when it was told
     * @param why the text given with it
     */
    record Suspended(String source, String limiter, Duration time, String why) implements ConfigEvent {}

    /**
     * The event that the source cannot be read. What is in force remains so. It is reported once, and read again until it
     * answers.
     *
     * @param cause the failure, as text without secrets
     */
    record SourceLost(String source, String cause) implements ConfigEvent {}

    /**
     * The event that the source can be read again.
     *
     * @param away how long it could not
     */
    record SourceRestored(String source, Duration away) implements ConfigEvent {}

    /**
     * A setting that has changed.
     *
     * @param limiter the limiter; empty = a value of the application, whose text is never shown
     * @param setting the path, such as {@code "queue.max-wait"}; {@code "values.mail.timeout"} for a value; empty = the whole
     * @param before the text before; empty = there was none
     * @param after the text now; empty = there is none
     */
    record Difference(String limiter, String setting, String before, String after) {
        @Override
        public String toString() {
            String path = limiter.isEmpty() || setting.isEmpty() ? limiter + setting : limiter + "." + setting;
            return path + ": " + (before.isEmpty() ? "none" : before) + " -> " + (after.isEmpty() ? "none" : after);
        }
    }
}
