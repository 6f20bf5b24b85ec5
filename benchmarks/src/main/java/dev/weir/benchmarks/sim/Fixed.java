package dev.weir.benchmarks.sim;

import java.util.function.LongToDoubleFunction;

/** A limit that is known beforehand: the same all the time, or one that a clairvoyant moves. */
record Fixed(LongToDoubleFunction limitAt, long[] seen) implements Candidate {
    static Fixed at(double limit) {
        return new Fixed(now -> limit, new long[1]);
    }

    static Fixed following(Steps knee, double factor, double extra) {
        return new Fixed(now -> Math.ceil(factor * knee.at(now) + extra), new long[1]);
    }

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        seen[0] = now;
        return inFlight < limitAt.applyAsDouble(now);
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {}

    @Override
    public double limit() {
        return limitAt.applyAsDouble(seen[0]);
    }
}
