package dev.weir.benchmarks.sim;

/** A limit under test, as the server it guards sees it. Times are nanoseconds from the start of the run, beginning at 1. */
interface Candidate {
    /** Decides on the request that arrives now, true = let in; {@code inFlight} are inside. Priority 0 is the highest. */
    boolean admits(long now, int inFlight, int priority);

    /**
     * A request has left the server.
     *
     * @param start when it was let in
     * @param inFlightThen how many were inside when it was let in, itself included
     * @param late whether its caller had given up by then
     */
    void left(long now, long start, int inFlightThen, boolean late);

    /** The share of the processors that was busy over the last half second, 0 to 1; told every half second. */
    default void cpu(long now, double share) {}

    /** Tells how many run or wait for a processor, every half second. */
    default void load(long now, int runnable) {}

    /** The limit in force, for the picture. */
    double limit();
}
