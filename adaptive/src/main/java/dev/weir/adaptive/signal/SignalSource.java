package dev.weir.adaptive.signal;

/**
 * The origin of a reading.
 *
 * @param name in a few words, such as {@code "cgroup v2 quota"}
 * @param confidence how well it shows the load of this process relative to what this process may use, from 0 (nothing is read)
 *     to 1
 */
record SignalSource(String name, double confidence) {
    /** There is nothing to read. */
    static final SignalSource NONE = new SignalSource("none", 0);

    @Override
    public String toString() {
        return name + " (" + confidence + ")";
    }
}
