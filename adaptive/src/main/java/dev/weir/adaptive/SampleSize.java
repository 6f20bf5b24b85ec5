package dev.weir.adaptive;

/** When a window shows enough, for controllers without an opinion of their own. */
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

    /** For a relative standard error of a tenth: {@code 100 cv^2}, at least 10 and at most 1,000. */
    private static double samplesFor(double variation) {
        return Math.max(10, Math.min(100 * variation, 1000));
    }
}
