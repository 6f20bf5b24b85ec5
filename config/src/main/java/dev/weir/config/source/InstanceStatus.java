package dev.weir.config.source;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The state of one instance: the version that it runs, and its answer to the document that was offered last.
 *
 * @param instance the name of the instance
 * @param running the version in force there; empty = none, or unknown because an older version of Weir wrote it
 * @param offered the version of the document that it decided on last; of one that states none or cannot be parsed {@code r} and
 *     its revision, or the start of its digest; empty = there was no document
 * @param result what it did with that one
 * @param problems what is wrong with that one, one line each; of more than {@value #MAX_PROBLEMS} the first
 * @param since when the version in force was put in force, by the clock of the instance; the epoch = none or unknown
 */
public record InstanceStatus(
        String instance, String running, String offered, Result result, List<String> problems, Instant since) {
    /** How many problems an instance tells. */
    public static final int MAX_PROBLEMS = 20;

    /** The decision of an instance on a document. */
    public enum Result {
        /** In force. Some limiters may have kept their last settings: see the problems. */
        ACCEPTED,
        /** What was in force before remains so. */
        REJECTED,
        /** Not yet: the document is for a part of the instances, and this one is not among them. */
        HELD
    }

    /** Checks the components. */
    public InstanceStatus {
        Objects.requireNonNull(instance, "instance");
        Objects.requireNonNull(running, "running");
        Objects.requireNonNull(offered, "offered");
        Objects.requireNonNull(result, "result");
        Objects.requireNonNull(since, "since");
        problems = List.copyOf(problems.subList(0, Math.min(problems.size(), MAX_PROBLEMS)));
    }

    /** One line of JSON, as sources write it. */
    public String toJson() {
        return StatusJson.write(this);
    }

    /**
     * What {@link #toJson} wrote, also that of an older version. Unknown members are ignored.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static InstanceStatus ofJson(String json) {
        return StatusJson.read(json);
    }
}
