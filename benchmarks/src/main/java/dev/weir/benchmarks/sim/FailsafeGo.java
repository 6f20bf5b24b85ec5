package dev.weir.benchmarks.sim;

import java.util.Arrays;

/** The adaptive limiter of failsafe-go with its defaults: Vegas on a smoothed p90, held back by two correlations. */
final class FailsafeGo implements Candidate {
    private static final int MIN = 1;
    private static final int MAX = 200;
    private static final int SAMPLES = 50;
    private static final double QUANTILE = 0.9;
    private static final double FACTOR = 5;
    private static final long SECOND = 1_000_000_000L;

    private final Samples window = new Samples();
    private final Median median = new Median();
    private final Average smoothed = new Average(5);
    private final Average baseline = new Average(10);
    private final Correlation throughput = new Correlation(50);
    private final Correlation latency = new Correlation(50);
    private double limit = 20;
    private int inside;
    private int maxInside;
    private long nextUpdate;

    @Override
    public boolean admits(long now, int inFlight, int priority) {
        boolean admitted = inFlight < (int) limit;
        inside = admitted ? inFlight + 1 : inFlight;
        return admitted;
    }

    @Override
    public void left(long now, long start, int inFlightThen, boolean late) {
        window.add(now - start);
        maxInside = Math.max(maxInside, inFlightThen);
        if (now > nextUpdate && window.size() >= SAMPLES) {
            update(smoothed.add(median.add(window.quantile(QUANTILE))));
            nextUpdate = now + Math.max(SECOND, Math.min(2 * window.min(), 30 * SECOND));
            window.clear();
            maxInside = 0;
        }
        inside--;
    }

    private void update(double recent) {
        int queue = (int) Math.ceil(limit * (1 - baseline.add(recent) / recent));
        double rate = maxInside / (recent / SECOND);
        throughput.add(maxInside, rate);
        latency.add(maxInside, recent);
        int step = Math.max(1, (int) StrictMath.log10((int) limit));
        double next = limit;
        if (queue > 6 * step || inside >= (int) limit && drifts()) {
            next -= step;
        } else if (queue < 3 * step) {
            next += step;
        }
        double cap = maxInside * FACTOR;
        if (next > cap) {
            next = limit > cap ? limit - step : cap;
        }
        limit = Math.max(MIN, Math.min(MAX, next));
    }

    private boolean drifts() {
        double gain = throughput.coefficient();
        return gain < 0 || (gain < 0.3 || throughput.variationOfSecond() < 0.2) && latency.coefficient() > 0.5;
    }

    @Override
    public double limit() {
        return limit;
    }

    /** The median of the last five; the first four go through as they are. */
    static final class Median {
        private final double[] last = new double[5];
        private int added;

        double add(double value) {
            last[added % last.length] = value;
            added++;
            if (added < last.length) {
                return value;
            }
            double[] sorted = last.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }
    }

    /** A moving average of a given age; the plain mean of the first ten. */
    static final class Average {
        private final double factor;
        private int added;
        private double value;

        Average(int age) {
            factor = 2.0 / (age + 1);
        }

        double add(double next) {
            double share = added < 10 ? 1.0 / (added + 1) : factor;
            added++;
            value += (next - value) * share;
            return value;
        }
    }

    /** The correlation of two measures over the last windows. */
    static final class Correlation {
        private static final int MIN_SAMPLES = 10;
        private static final double MIN_VARIATION = 0.01;

        private final double[] xs;
        private final double[] ys;
        private int added;

        Correlation(int size) {
            xs = new double[size];
            ys = new double[size];
        }

        void add(double x, double y) {
            xs[added % xs.length] = x;
            ys[added % ys.length] = y;
            added++;
        }

        /** -1 to 1; 0 with less than ten samples or when either has hardly changed. */
        double coefficient() {
            if (added < MIN_SAMPLES || variation(xs) < MIN_VARIATION || variation(ys) < MIN_VARIATION) {
                return 0;
            }
            return covariance(xs, ys) / Math.sqrt(covariance(xs, xs) * covariance(ys, ys));
        }

        /** The second measure's standard deviation over its mean; 0 with less than ten samples. */
        double variationOfSecond() {
            return added < MIN_SAMPLES ? 0 : variation(ys);
        }

        private double variation(double[] values) {
            return Math.sqrt(covariance(values, values)) / mean(values);
        }

        private double covariance(double[] left, double[] right) {
            int count = Math.min(added, left.length);
            double meanLeft = mean(left);
            double meanRight = mean(right);
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += (left[i] - meanLeft) * (right[i] - meanRight);
            }
            return sum / count;
        }

        private double mean(double[] values) {
            int count = Math.min(added, values.length);
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += values[i];
            }
            return sum / count;
        }
    }
}
