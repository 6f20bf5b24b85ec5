package dev.weir.benchmarks;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws of 0..n-1 where the k-th most frequent is drawn 1/k as often as the first. */
final class Zipf {
    private Zipf() {}

    /** So many draws, the same for the same seed; which number is frequent is shuffled. */
    static int[] draws(int n, int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] cumulated = new double[n];
        double sum = 0;
        for (int k = 0; k < n; k++) {
            sum += 1.0 / (k + 1);
            cumulated[k] = sum;
        }
        int[] ranked = shuffled(n, random);
        int[] draws = new int[count];
        for (int i = 0; i < count; i++) {
            int at = Arrays.binarySearch(cumulated, random.nextDouble(sum));
            draws[i] = ranked[Math.min(n - 1, at < 0 ? ~at : at)];
        }
        return draws;
    }

    private static int[] shuffled(int n, SplittableRandom random) {
        int[] numbers = new int[n];
        for (int i = 0; i < n; i++) {
            int at = random.nextInt(i + 1);
            numbers[i] = numbers[at];
            numbers[at] = i;
        }
        return numbers;
    }
}
