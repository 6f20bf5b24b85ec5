package dev.weir.named.recorder;

import java.util.stream.LongStream;

/**
 * The mean hold time of the permits of a recording, by two figures that err independently.
 *
 * @param factor times the mean of the sample
 * @param error by how much it may be wrong, as a part of it; 0 if there is no sample
 */
record HoldMean(double factor, double error) {
    /*
     * The sample has 1 permit in 16. And the mean number in flight is the rate of grants times the mean hold time (Little), also if
     * it is read only once a second. Each has its variance, and the better one counts more. If they contradict one another, as where
     * permits are never released, the sample counts.
     */
    private static final double SECOND = 1e9;
    /** Of normal errors, 1 in 80 is larger. */
    private static final double DEVIATIONS = 2.5;

    private static final double CONTRADICTION = 4;

    static HoldMean of(RecordedLoad load) {
        long[] nanos = load.holdNanos();
        double mean = LongStream.of(nanos).average().orElse(0);
        if (mean == 0) {
            return new HoldMean(1, 0);
        }
        double squares = LongStream.of(nanos)
                .mapToDouble(each -> (each - mean) * (each - mean))
                .sum();
        double variance = squares / nanos.length / nanos.length / (mean * mean);
        HoldMean sampled = new HoldMean(1, DEVIATIONS * Math.sqrt(variance));
        double inFlight = LongStream.of(load.inFlight()).average().orElse(0);
        double granted = LongStream.of(load.admitted()).average().orElse(0);
        if (inFlight == 0 || granted == 0 || load.isHeavy()) {
            return sampled;
        }
        double factor = inFlight / granted * SECOND / mean;
        double other = variance(load.inFlight(), mean / SECOND) / (inFlight * inFlight);
        if (Math.abs(factor - 1) > CONTRADICTION * Math.sqrt(variance + other)) {
            return sampled;
        }
        // Both are known exactly where each hold time is the same and the limit is always reached.
        double share = variance + other == 0 ? 0 : variance / (variance + other);
        return new HoldMean(1 + share * (factor - 1), DEVIATIONS * Math.sqrt(share * other));
    }

    /*
     * Of the mean of readings that vary from one to the next; a slow change of all is no error. What is held for several seconds is
     * in several readings.
     */
    private static double variance(long[] readings, double heldSeconds) {
        double squares = 0;
        for (int i = 1; i < readings.length; i++) {
            double step = (double) readings[i] - readings[i - 1];
            squares += step * step;
        }
        double alike = 1 + 2 * heldSeconds;
        return squares / 2 / Math.max(1, readings.length - 1) / readings.length * alike * alike;
    }
}
