package dev.weir.adaptive;

/** The default rule of {@link Controller#enough}: samples for a relative standard error of a tenth, within 100 ms and 1 s. */
final class SampleSize {
    private static final long SHORT = 100_000_000;
    private static final long LONG = 1_000_000_000;

    private SampleSize() {}

    static boolean suffices(Window window) {
        if (window.nanos() < SHORT) {
            return false;
        }
        return window.latencies().count() >= samplesFor(window.latencies().variation()) || window.nanos() >= LONG;
    }

    /** For a relative standard error of a tenth: {@code 100 cv^2}, within 10 and 1,000. */
    private static double samplesFor(double variation) {
        return Math.max(10, Math.min(100 * variation, 1000));
    }
}
