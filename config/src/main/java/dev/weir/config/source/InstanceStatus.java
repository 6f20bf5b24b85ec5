package dev.weir.config.source;

import java.util.List;
import java.util.Objects;

/**
 * The answer of one instance to a document.
 *
 * @param instance the name of the instance
 * @param version the version of the document
 * @param result what the instance did with it
 * @param errors what was wrong with it, one line each
 */
public record InstanceStatus(String instance, String version, Result result, List<String> errors) {
    /** The decision of an instance on a document. */
    public enum Result {
        /** In force. Some limiters may have kept their last settings: see the errors. */
        ACCEPTED,
        /** What was in force before remains so. */
        REJECTED,
        /** Not yet: the document is for a part of the instances, and this one is not among them. */
        HELD
    }

    /** Checks the components. */
    public InstanceStatus {
        Objects.requireNonNull(instance, "instance");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(result, "result");
        errors = List.copyOf(errors);
    }

    /** One line of JSON, as sources write it. */
    public String toJson() {
        return StatusJson.write(this);
    }

    /**
     * What {@link #toJson} wrote. Unknown members are ignored.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static InstanceStatus ofJson(String json) {
        return StatusJson.read(json);
    }
}
