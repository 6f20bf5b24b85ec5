package dev.weir.adaptive.signal;

/** How fast a count rises between one reading and the next. One thread at a time. */
final class CounterRate {
    private long before = -1;
    private long at;

    /**
     * The rise in units a nanosecond since the last reading; NaN at the first, and where the count is unknown (negative),
     * fell, or no time went by. Whatever the clock or the count does, the next reading starts from this one.
     */
    double to(long count, long now) {
        long last = before;
        long elapsed = now - at;
        before = count;
        at = now;
        return last < 0 || count < last || elapsed <= 0 ? Double.NaN : (double) (count - last) / elapsed;
    }
}
