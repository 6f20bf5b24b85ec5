package dev.weir.adaptive.signal;

/**
 * The state of one sensor.
 *
 * @param name the name of the signal
 * @param state the result of its last reading
 * @param lastValue the last good reading; NaN if there was none
 * @param ageNanos the age of that reading in nanoseconds; -1 if there was none
 * @param source where the reading comes from and how far to trust it, such as {@code "cgroup v2 quota (1.0)"}; empty if unknown
 * @param failures the number of readings that threw or hung
 */
public record SensorHealth(String name, State state, double lastValue, long ageNanos, String source, long failures) {
    /** The result of a reading. */
    public enum State {
        /** A number. */
        GOOD,
        /** NaN or infinite: there is nothing to read, or not yet. */
        UNAVAILABLE,
        /** It threw. */
        THROWS,
        /** It did not return in time, and still has not. */
        HANGS,
        /** The same number 20 times in a row, where no two should be equal ({@link Sensors.Builder#watchMoving}). */
        STUCK
    }
}
