package dev.weir.queue;

/**
 * The rate at which waiters were granted since the queue was last empty, for a lower bound of a new request's wait. Not
 * thread-safe.
 *
 * <p>The time of each {@value #GRANTS} or more grants is one measurement. The rate is the fastest of the last {@value
 * #MEASUREMENTS} measurements; before that it is not known. A stall makes one measurement slower, which is then not the fastest.
 */
final class GrantRate {
    private static final int GRANTS = 16;
    private static final int MEASUREMENTS = 8;

    private final long[] gaps = new long[MEASUREMENTS];
    private long measured;
    private long since;
    private long grants;

    /** The queue is empty. */
    void restart(long now) {
        measured = 0;
        since = now;
        grants = 0;
    }

    void granted() {
        grants++;
    }

    /** The least time that so many grants take, in nanoseconds, saturating; 0 if not known. */
    long minNanos(long count, long now) {
        if (grants >= GRANTS) {
            gaps[(int) (measured++ % MEASUREMENTS)] = Math.max(1, (now - since) / grants);
            since = now;
            grants = 0;
        }
        if (measured < MEASUREMENTS || count <= 0) {
            return 0;
        }
        long fastest = gaps[0];
        for (long gap : gaps) {
            fastest = Math.min(fastest, gap);
        }
        return count > Long.MAX_VALUE / fastest ? Long.MAX_VALUE : count * fastest;
    }
}
