package dev.weir.benchmarks.sim;

/** A limit that stays where it was put; infinity is none at all. */
record Fixed(double limit) implements Candidate {
    @Override
    public boolean admits(long now, int inFlight, int priority) {
        return inFlight < limit;
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {}
}
