package dev.weir.adaptive.signal;

/** The rate at which a counter rises between one reading and the next. Used by one thread at a time. */
final class CounterRate {
    private long before = -1;
    private long at;

    /**
     * The increase per nanosecond since the last reading; NaN at the first, and where the count is unknown (negative),
     * fell, or no time passed. Whatever the clock or the count does, the next reading starts from this one.
     */
    double perNano(long count, long now) {
        long last = before;
        long elapsed = now - at;
        before = count;
        at = now;
        return last < 0 || count < last || elapsed <= 0 ? Double.NaN : (double) (count - last) / elapsed;
    }
}
