package dev.weir.benchmarks.sim;

/**
 * The facts of a run that a peer is told when it is made.
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
