package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.GradientLimit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NetflixTest {
    private static final long MILLI = 1_000_000;

    /** Limits after each of many samples whose latency is drawn; the limit is always in full use. */
    private static List<Integer> path(Limit limit, int samples) {
        SplittableRandom latencies = new SplittableRandom(5);
        List<Integer> path = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
            limit.onSample(i * MILLI + 1, MILLI + latencies.nextLong(MILLI), limit.getLimit(), false);
            path.add(limit.getLimit());
        }
        return path;
    }

    /* The first probe comes after half of 30 x 20 samples at the soonest; the limit falls from 20 by one a sample. */
    @Test
    void seededVegasIsVegasUntilTheFirstProbe() {
        VegasLimit original = VegasLimit.newBuilder().probeMultiplier(1_000_000).build();
        assertEquals(path(original, 100), path(new SeededVegas(1), 100));
    }

    /*
     * 1 ms, then 2 ms: a queue of half the limit, so it falls to 12, where that is 6. The first probe comes after 180
     * to 360 samples; then 2 ms are no queue, and it grows by 6.
     */
    @Test
    void aProbeOfVegasKeepsTheLimitAndTakesThePresentLatencyForTheLeast() {
        SeededVegas vegas = new SeededVegas(1);
        vegas.onSample(1, MILLI, 20, false);
        for (int i = 2; i < 180; i++) {
            vegas.onSample(1, 2 * MILLI, vegas.getLimit(), false);
        }
        assertEquals(12, vegas.getLimit());
        List<Integer> limits = new ArrayList<>();
        for (int i = 180; i <= 361; i++) {
            vegas.onSample(1, 2 * MILLI, vegas.getLimit(), false);
            limits.add(vegas.getLimit());
        }
        assertTrue(limits.contains(18), () -> "12 + 6 after the probe, was " + limits);
        assertTrue(limits.indexOf(18) > 0, "12 stays with the sample that probes");
    }

    @Test
    void seededGradientIsGradientUntilTheFirstProbe() {
        GradientLimit original = GradientLimit.newBuilder().probeInterval(-1).build();
        assertEquals(path(original, 1000), path(new SeededGradient(1), 1000));
    }

    /* At 200 with a queue of at most sqrt(200) = 14: the probe puts the limit to 14 or less, from 100 and more. */
    @Test
    void aProbeOfGradientDipsToTheQueue() {
        List<Integer> path = path(new SeededGradient(1), 2001);
        int dips = 0;
        for (int i = 1; i < path.size(); i++) {
            if (path.get(i) == Math.max(4, (int) Math.sqrt(path.get(i - 1))) && path.get(i - 1) > 20) {
                dips++;
            }
        }
        assertEquals(1, dips);
    }

    @Test
    void aSeedDecidesTheWholePath() {
        assertEquals(path(new SeededVegas(7), 20_000), path(new SeededVegas(7), 20_000));
        assertNotEquals(path(new SeededVegas(7), 20_000), path(new SeededVegas(8), 20_000));
        assertEquals(path(new SeededGradient(7), 5000), path(new SeededGradient(7), 5000));
        assertNotEquals(path(new SeededGradient(7), 5000), path(new SeededGradient(8), 5000));
    }

    /* 20 falls by a tenth, to 18, but not below the least of 20; a window in full use adds one a sample. */
    @Test
    void aimdGrowsByOneAndBacksOffFromLateWork() {
        Netflix aimd = Netflix.aimd(50 * MILLI);
        aimd.left(11 * MILLI, MILLI, 20, false);
        assertEquals(21, aimd.limit());
        aimd.left(52 * MILLI, MILLI, 20, false);
        assertEquals(20, aimd.limit());
        assertTrue(aimd.admits(1, 19, 0));
        assertTrue(!aimd.admits(1, 20, 0));
    }

    /* The first second's mean is the least RTT; each further one finds no queue and adds 6. */
    @Test
    void aWindowedLimitMovesOnceASecond() {
        Netflix vegas = Netflix.windowed(new SeededVegas(1));
        List<Double> limits = new ArrayList<>();
        for (int i = 1; i <= 350; i++) {
            vegas.left(i * 10 * MILLI, i * 10 * MILLI - 5 * MILLI, 20, false);
            if (i % 100 == 50) {
                limits.add(vegas.limit());
            }
        }
        assertEquals(List.of(20.0, 20.0, 26.0, 32.0), limits);
    }
}
