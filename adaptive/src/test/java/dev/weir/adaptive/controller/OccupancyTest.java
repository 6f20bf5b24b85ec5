package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OccupancyTest {
    private static final long SECOND = 1_000_000_000;
    private static final double MIN = 20e6;

    private final Occupancy occupancy = new Occupancy();

    /** A second with so many long calls, in which the others kept so many workers busy: 50 calls each. */
    private void second(long longCalls, double busy) {
        occupancy.window();
        occupancy.pass(longCalls, SECOND);
        occupancy.learn(new Throughput(40, 50 * busy, 0, SECOND, 1, MIN), MIN);
    }

    /*
     * probe    1        2         3
     * long     2   4    10  10    5   8   5
     * busy     30  28   22  22    27  24  27      one less for each
     */
    @Test
    void whereLongCallsHoldWorkersEachTakesAPlace() {
        long[][] probes = {{2, 4}, {10, 10}, {5, 8, 5}};
        for (long[] probe : probes) {
            occupancy.probe();
            for (long longCalls : probe) {
                second(longCalls, 32 - longCalls);
            }
        }
        assertEquals(1, occupancy.workers(), 1e-9);
    }

    /* Between probes the limit moves, and throughput with it, while polls come in: the two have nothing to do with each other. */
    @Test
    void whatDiffersBetweenProbesTellsNothing() {
        for (int probe = 0; probe < 100; probe++) {
            occupancy.probe();
            second(probe, 100 - probe);
            second(probe + 1, 100 - probe);
        }
        assertEquals(0, occupancy.workers(), 1e-9);
        assertFalse(occupancy.held());
    }

    @Test
    void nothingIsSaidOfANumberThatStays() {
        for (int i = 0; i < 100; i++) {
            second(7, 20 + i % 5);
        }
        assertEquals(0, occupancy.workers());
        assertFalse(occupancy.held());
    }

    @Test
    void aWindowCountsByTheMeanNumberOverItsTime() {
        occupancy.window();
        occupancy.pass(0, SECOND / 2);
        occupancy.pass(8, SECOND / 2);
        occupancy.learn(new Throughput(40, 50 * 28, 0, SECOND, 1, MIN), MIN);
        second(6, 26);
        assertEquals(1, occupancy.workers(), 1e-9);
    }

    @Test
    void tooFewCallsTellNothing() {
        second(2, 30);
        occupancy.window();
        occupancy.pass(9, SECOND);
        occupancy.learn(new Throughput(40, 23, 0, SECOND, 1, MIN), MIN);
        second(2, 30);
        assertEquals(0, occupancy.workers());
    }

    /** Throughput varies by a tenth; long calls come and go by one at a time. */
    @Test
    void itIsToldFromNoise() {
        SplittableRandom random = new SplittableRandom(1);
        for (double workersEach : new double[] {1, 0}) {
            Occupancy seen = new Occupancy();
            long longCalls = 20;
            boolean held = false;
            for (int i = 0; i < 800; i++) {
                if (i % 8 == 0) {
                    seen.probe();
                }
                longCalls = Math.max(10, Math.min(30, longCalls + random.nextInt(-2, 3)));
                seen.window();
                seen.pass(longCalls, SECOND);
                double busy = 50 - workersEach * longCalls + 4 * random.nextGaussian();
                seen.learn(new Throughput(60, 50 * busy, 0, SECOND, 1, MIN), MIN);
                held |= seen.held();
            }
            assertEquals(workersEach == 1, held);
            assertEquals(workersEach, seen.workers(), 0.2);
        }
    }

    @Test
    void itBeginsWithNothing() {
        assertFalse(occupancy.held());
        occupancy.learn(new Throughput(40, 100, 0, SECOND, 1, MIN), MIN);
        assertEquals(0, occupancy.workers());
    }
}
