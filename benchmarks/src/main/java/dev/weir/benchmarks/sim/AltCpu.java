package dev.weir.benchmarks.sim;

/** The CPU as the only signal: a tenth less above 95 %, a tenth more if somebody was turned away. */
final class AltCpu implements Candidate {
    private static final double BUSY = 0.95;
    private static final double MAX = 5000;

    private double limit = 20;
    private boolean pressed;

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        boolean admitted = inFlight < (int) limit;
        pressed |= !admitted;
        return admitted;
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {}

    @Override
    public void cpu(long now, double share) {
        if (share > BUSY) {
            limit = Math.max(1, limit * 0.9);
        } else if (pressed) {
            limit = Math.min(MAX, limit * 1.1);
        }
        pressed = false;
    }

    @Override
    public double limit() {
        return limit;
    }
}
