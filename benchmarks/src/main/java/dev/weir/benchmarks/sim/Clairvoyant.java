package dev.weir.benchmarks.sim;

/** A limit moved by one who knows what the server can use at every moment. */
final class Clairvoyant implements Candidate {
    private final Steps knee;
    private final double factor;
    private final double extra;
    private long seen;

    Clairvoyant(Steps knee, double factor, double extra) {
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
