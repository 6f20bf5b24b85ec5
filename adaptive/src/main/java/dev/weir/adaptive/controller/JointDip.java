package dev.weir.adaptive.controller;

import dev.weir.adaptive.Window;

/**
 * A joint dip: at the same moments of the time of day all instances before one server lower their limits, for a slot of at
 * least four latencies. By itself an instance cannot tell a slow server from one that is full of the calls of others. While all
 * are low, the server is not full, so the latency is that of the unloaded server.
 */
final class JointDip {
    /*
     * One instance, with a slot of 400 ms. The moments of all slots are multiples of a power of two, so that those of instances
     * with other latencies begin together.
     *
     *     12:00:00.0                     .1                             .4                          12:00:06.4
     *     limit lowered, settles         measured                       limit restored, settles     the next
     *
     * The length of a dip is measured by the ticker: a clock that jumps may start one too many, which is as long as any. The
     * latencies after the dip are not used: others may be back already.
     */
    private static final long GRID_MILLIS = 6_400;
    private static final long SHORTEST_MILLIS = 100;
    private static final long LONGEST_MILLIS = 25_600;
    private static final double LATENCIES = 4;
    private static final long STALE_MILLIS = 200;
    private static final long UNUSUAL_MILLIS = 180_000;
    private static final double MILLI = 1e6;

    private boolean on;
    private boolean begun;
    private boolean settled;
    private long moment; // the time of day of the last one, in milliseconds
    private long at; // the reading of the ticker at its beginning
    private double length;
    private double late;
    private Before before = new Before(0, 0, Throughput.NONE);

    /** The state before a dip. The limit is to be restored. */
    record Before(long limit, double inFlight, Throughput throughput) {}

    boolean on() {
        return on;
    }

    /** Returns true if a dip is to begin at the end of this window, with this mean latency. */
    boolean due(Window window, double latency) {
        long lateMillis = lateMillis(window, latency);
        boolean apart = passed(window) < 0 || passed(window) > GRID_MILLIS / 2 * MILLI;
        return !on
                && window.epochMillis() > 0
                && lateMillis < slotMillis(latency) / 4.0
                && (!begun || (window.epochMillis() - lateMillis != moment && apart));
    }

    /* By the ticker, since the last one; less than 0 if the ticker is wrong, so that nothing waits for it. */
    private double passed(Window window) {
        return (double) (window.at() - at);
    }

    private static long slotMillis(double latency) {
        long slot = SHORTEST_MILLIS;
        while (slot * MILLI < LATENCIES * latency && slot < LONGEST_MILLIS) {
            slot *= 2;
        }
        return slot;
    }

    private static long gridMillis(double latency) {
        return Math.max(GRID_MILLIS, 2 * slotMillis(latency));
    }

    private static long lateMillis(Window window, double latency) {
        return Math.floorMod(window.epochMillis(), gridMillis(latency));
    }

    /** Returns true if slots take half of the time, for their calls are slow. */
    boolean takesHalf(double latency) {
        return 2 * slotMillis(latency) >= gridMillis(latency);
    }

    /** Returns true for each second moment where slots take half of the time: an instance that has seen no queue lets it pass. */
    boolean rests(Window window, double latency) {
        return takesHalf(latency) && Math.floorDiv(window.epochMillis(), gridMillis(latency)) % 2 != 0;
    }

    void skip(Window window, double latency) {
        begun = true;
        moment = window.epochMillis() - lateMillis(window, latency);
        at = window.at();
    }

    void begin(Window window, double latency, long limit, double inFlight, Throughput throughput) {
        skip(window, latency);
        before = new Before(limit, inFlight, throughput);
        length = slotMillis(latency) * MILLI;
        late = lateMillis(window, latency) * MILLI;
        settled = false;
        on = true;
    }

    /** Ends the dip without a result: something else has set the limit. */
    void abandon() {
        on = false;
    }

    /** Returns true if by the end of this window the dip has settled or, after that, has been measured. */
    boolean complete(Window window) {
        return passed(window) < 0 || passed(window) >= (settled ? length : length / 4) - late;
    }

    /** Returns true if this window ends so late that others were back in it: nothing had come for a while. */
    boolean isStale(Window window) {
        return passed(window) > length + Math.max(length, STALE_MILLIS * MILLI);
    }

    /** Returns true if the slot would be the longest, and even so too short for the queue of before to drain while it settles. */
    boolean tooShort() {
        return before.throughput.done() > 0
                && length >= LONGEST_MILLIS * MILLI
                && before.inFlight / before.throughput.rate() > length / 3;
    }

    /** Returns true if moments still come: not where a clock stands still, so that no dip would mend the bound. */
    boolean isUsual(Window window) {
        return passed(window) < UNUSUAL_MILLIS * MILLI;
    }

    /** Ends this window; true if it was the measured one, so that the dip is over. */
    boolean over() {
        on = !settled;
        settled = true;
        return !on;
    }

    Before before() {
        return before;
    }
}
