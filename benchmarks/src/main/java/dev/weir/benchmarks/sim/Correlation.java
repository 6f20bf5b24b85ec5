package dev.weir.benchmarks.sim;

/** The correlation of two measures over the last windows. */
final class Correlation {
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
