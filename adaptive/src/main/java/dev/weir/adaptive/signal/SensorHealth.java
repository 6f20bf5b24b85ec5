package dev.weir.adaptive.signal;

/**
 * How one sensor stands.
 *
 * @param name of the signal
 * @param state what its last reading was
 * @param lastValue the last good reading; NaN if there was none
 * @param ageNanos how old that is; -1 if there was none
 * @param source where it reads, if it knows; else empty
 * @param failures how often it threw or hung
 */
public record SensorHealth(String name, State state, double lastValue, long ageNanos, String source, long failures) {
    /** What became of a reading. */
    public enum State {
        /** A number. */
        GOOD,
        /** No number: there is nothing to read, or not yet. */
        UNAVAILABLE,
        /** It threw. */
        THROWS,
        /** It did not return in time, and has not since. */
        HANGS,
        /** The same number too often in a row, where no two should be the same. */
        STUCK
    }
}
