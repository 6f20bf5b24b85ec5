package dev.weir.benchmarks.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FailsafeGoTest {
    private static final long MILLI = 1_000_000;

    /** 50 requests of one latency end together. */
    private static void window(FailsafeGo limiter, long atMillis, long rttMillis, int inFlight) {
        limiter.admits((atMillis - rttMillis) * MILLI, inFlight - 1, 0);
        for (int i = 0; i < 50; i++) {
            limiter.left(atMillis * MILLI, (atMillis - rttMillis) * MILLI, inFlight, false);
        }
    }

    /* Latency stands still: no queue, so one more each window. */
    @Test
    void growsByOneAWindowOfASecond() {
        FailsafeGo limiter = new FailsafeGo();
        window(limiter, 1000, 10, 10);
        assertEquals(21, limiter.limit());
        window(limiter, 2000, 10, 10);
        assertEquals(21, limiter.limit());
        window(limiter, 2001, 10, 10);
        assertEquals(22, limiter.limit());
    }

    /* 4 inside hold it at 20: 21 takes a step down, 20 stays. */
    @Test
    void holdsAtFiveTimesWhatIsInside() {
        FailsafeGo limiter = new FailsafeGo();
        window(limiter, 1000, 10, 10);
        window(limiter, 3000, 10, 4);
        assertEquals(20, limiter.limit());
        window(limiter, 5000, 10, 4);
        assertEquals(20, limiter.limit());
        window(limiter, 7000, 10, 5);
        assertEquals(21, limiter.limit());
    }

    /*
     * 10 ms, then 40: the smoothed and the baseline warm up with plain means.
     * smoothed 25, baseline (10 + 25) / 2 = 17.5: queue = 21 x (1 - .7) = 6.3 -> 7 > 6: one less.
     */
    @Test
    void shrinksWhenTheQueueIsLongerThanSix() {
        FailsafeGo limiter = new FailsafeGo();
        window(limiter, 1000, 10, 10);
        window(limiter, 3000, 40, 10);
        assertEquals(20, limiter.limit());
    }

    @Test
    void aMedianOfFivePassesTheFirstFour() {
        FailsafeGo.Median median = new FailsafeGo.Median();
        assertEquals(9, median.add(9));
        assertEquals(1, median.add(1));
        assertEquals(8, median.add(8));
        assertEquals(2, median.add(2));
        assertEquals(7, median.add(7));
        assertEquals(3, median.add(3));
    }

    /* Ten times 6 is 6; then 2/6 of the way to 12. */
    @Test
    void anAverageWarmsUpWithTen() {
        FailsafeGo.Average average = new FailsafeGo.Average(5);
        for (int i = 0; i < 5; i++) {
            average.add(4);
            average.add(8);
        }
        assertEquals(8, average.add(12), 1e-9);
    }

    @Test
    void aCorrelationNeedsTenSamplesAndSomeVariation() {
        FailsafeGo.Correlation same = new FailsafeGo.Correlation(50);
        FailsafeGo.Correlation opposite = new FailsafeGo.Correlation(50);
        for (int i = 1; i <= 10; i++) {
            assertEquals(0, same.coefficient());
            same.add(i, 2 * i);
            opposite.add(i, 100 - i);
        }
        assertEquals(1, same.coefficient(), 1e-9);
        assertEquals(-1, opposite.coefficient(), 1e-9);
        FailsafeGo.Correlation flat = new FailsafeGo.Correlation(50);
        for (int i = 1; i <= 50; i++) {
            flat.add(i, 1000);
        }
        assertEquals(0, flat.coefficient());
    }
}
