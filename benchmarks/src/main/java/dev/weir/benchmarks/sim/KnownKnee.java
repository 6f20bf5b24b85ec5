package dev.weir.benchmarks.sim;

/** A limit that follows the true knee of the server, which it knows at each moment. A candidate of the {@link Oracle}. */
final class KnownKnee implements Candidate {
    private final Steps knee;
    private final double factor;
    private final double extra;
    private long seen;

    KnownKnee(Steps knee, double factor, double extra) {
        this.knee = knee;
        this.factor = factor;
        this.extra = extra;
    }

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        seen = now;
        return inFlight < limit();
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {}

    @Override
    public double limit() {
        return Math.ceil(factor * knee.at(seen) + extra);
    }
}
