package dev.weir.adaptive.signal;

import java.util.Objects;

/**
 * The origin of a reading.
 *
 * @param name in a few words, such as {@code "cgroup v2 quota"}
 * @param confidence how well it shows the load of this process relative to what this process may use, from 0 (nothing is read)
 *     to 1
 */
record SignalSource(String name, double confidence) {
    /** There is nothing to read. */
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
