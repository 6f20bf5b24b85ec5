package dev.weir.adaptive;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The mean and the 90th percentile of the costs of one class, of which older ones count less. Thread-safe. */
final class ClassCost {
    /*
     * The percentile is of a histogram whose buckets are exact up to 16 and an eighth of a power of two wide above: 488 for all
     * values of a long. Only those from the lowest to the highest cost seen are kept, as `weights`.
     */
    static final String MEAN = "mean.";
    private static final String HIGH = "high.";
    private static final String WEIGHT = "weight.";
    private static final double SHARE = 0.9;
    private static final int SUB_BITS = 3;
    private static final int SUBS = 1 << SUB_BITS;
    private static final float NEGLIGIBLE = 1e-9f;

    private final double keep;
    private double mean;
    private double weight;
    private int lowest;
    private float[] weights = {};

    ClassCost(long first, double keep) {
        this.keep = keep;
        mean = first;
        weight = 1;
        add(bucket(first), 1);
    }

    private ClassCost(double mean, long high, double weight, double keep) {
        this.keep = keep;
        this.mean = mean;
        this.weight = weight;
        add(bucket(high), (float) (0.2 * weight)); // so that the percentile is in the middle of it
        add(bucket(Math.min(high, Math.round(mean))), (float) (0.8 * weight));
    }

    synchronized void settled(long actual) {
        weight = weight * keep + 1;
        mean += (actual - mean) / weight;
        for (int i = 0; i < weights.length; i++) {
            float kept = (float) (weights[i] * keep);
            weights[i] = kept < NEGLIGIBLE ? 0 : kept;
        }
        add(bucket(actual), 1);
    }

    private void add(int bucket, float more) {
        if (weights.length == 0) {
            lowest = bucket;
            weights = new float[1];
        } else if (bucket < lowest) {
            float[] wider = new float[lowest - bucket + weights.length];
            System.arraycopy(weights, 0, wider, lowest - bucket, weights.length);
            lowest = bucket;
            weights = wider;
        } else if (bucket >= lowest + weights.length) {
            weights = Arrays.copyOf(weights, bucket - lowest + 1);
        }
        weights[bucket - lowest] += more;
    }

    synchronized long mean() {
        return Math.round(mean);
    }

    synchronized long high() {
        double all = 0;
        for (float each : weights) {
            all += each;
        }
        double below = 0;
        int at = -1;
        while (below < SHARE * all && at < weights.length - 1) {
            at++;
            below += weights[at];
        }
        return middle(lowest + Math.max(at, 0));
    }

    static int bucket(long cost) {
        if (cost < 2 * SUBS) {
            return (int) cost;
        }
        int shift = Long.SIZE - 1 - SUB_BITS - Long.numberOfLeadingZeros(cost);
        return shift * SUBS + (int) (cost >>> shift);
    }

    static long middle(int bucket) {
        if (bucket < 2 * SUBS) {
            return bucket;
        }
        int shift = bucket / SUBS - 1;
        return ((long) (SUBS + bucket % SUBS) << shift) + (1L << (shift - 1));
    }

    // ---- Saved state ----

    synchronized void saveTo(Map<String, Double> learned, String text) {
        learned.put(MEAN + text, mean);
        learned.put(HIGH + text, (double) high());
        learned.put(WEIGHT + text, weight);
    }

    /** Null if there is none of this text, or it is not as it was saved. */
    static @Nullable ClassCost restored(Map<String, Double> learned, String text, double trust, double keep) {
        double mean = learned.getOrDefault(MEAN + text, -1.0);
        double high = learned.getOrDefault(HIGH + text, -1.0);
        double weight = learned.getOrDefault(WEIGHT + text, -1.0);
        boolean isSound = isCost(mean) && isCost(high) && weight > 0 && weight < Double.POSITIVE_INFINITY;
        if (!isSound) {
            return null;
        }
        double counted = Math.min(weight, 1 / (1 - keep)) * Math.min(1, trust);
        return new ClassCost(mean, Math.round(high), counted > 1 ? counted : 1, keep);
    }

    private static boolean isCost(double value) {
        return value >= 0 && value <= Long.MAX_VALUE;
    }
}
