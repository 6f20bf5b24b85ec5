package dev.weir.adaptive.signal;

import java.util.Objects;

/**
 * Where a reading comes from.
 *
 * @param name in a few words: {@code "cgroup v2 quota"}
 * @param confidence how far it tells the load of this process against what this process may use, from 0 (nothing is read)
 *     to 1
 */
public record SignalSource(String name, double confidence) {
    /** Nothing can be read. */
    public static final SignalSource NONE = new SignalSource("none", 0);

    /** Checks the components. */
    public SignalSource {
        Objects.requireNonNull(name, "name");
        if (!(confidence >= 0 && confidence <= 1)) {
            throw new IllegalArgumentException("confidence must be within 0 and 1, was " + confidence);
        }
    }

    @Override
    public String toString() {
        return name + " (" + confidence + ")";
    }
}
