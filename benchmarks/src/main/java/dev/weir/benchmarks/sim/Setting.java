package dev.weir.benchmarks.sim;

/**
 * What a peer is told about the run it is made for.
 *
 * @param seed for what it draws
 * @param timeoutNanos how long a client waits
 * @param cores how many processors the server starts with
 */
record Setting(long seed, long timeoutNanos, int cores) {
    Setting {
        if (timeoutNanos < 1) {
            throw new IllegalArgumentException("timeoutNanos must be >= 1, was " + timeoutNanos);
        }
        if (cores < 1) {
            throw new IllegalArgumentException("cores must be >= 1, was " + cores);
        }
    }
}
