package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LittleBoundTest {
    private final LatencyBaseline latencies = new LatencyBaseline();
    private final LittleBound bound = new LittleBound(latencies);

    /** In 100 ms, each after so many ms. */
    private static Window done(long calls, double millis) {
        return Window.lasting(100 * Windows.MS, 100)
                .ended(calls, 0, 0)
                .latencies(Windows.same(20, millis), Latencies.NONE)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 4", "4, 10", "9, 22.5", "100, 250"})
    void itIsTwoAndAHalfTimesWhatIsServedOrThreeRootsMore(double served, double most) {
        assertEquals(most, LittleBound.of(served));
    }

    /* 100 and 200 a second, each of 50 ms. */
    @Test
    void theHigherThroughputOfTheLastTwoWindowsCounts() {
        assertEquals(0, bound.served());
        latencies.unloaded(50 * Windows.MS);
        bound.add(Throughput.of(done(20, 50)));
        bound.add(Throughput.of(done(10, 50)));
        assertEquals(10, bound.served(), 1e-9);
        bound.add(Throughput.of(done(10, 50)));
        assertEquals(5, bound.served(), 1e-9);
    }

    @Test
    void aRaiseEndsAtTheBoundAndNothingElseIsTouched() {
        assertEquals(1000, bound.raised(1000, 10), "unknown");
        latencies.unloaded(50 * Windows.MS);
        bound.add(Throughput.of(done(20, 50)));
        assertEquals(25, bound.raised(1000, 10));
        assertEquals(20, bound.raised(20, 10));
        assertEquals(40, bound.raised(1000, 40), "over it already");
        assertEquals(30, bound.raised(30, 40), "no raise");
    }

    /* By Little's law 60 in flight, where 10 are served and 25 allowed. */
    @Test
    void moreInFlightForASecondLowersTheLimitToTheHalfUntilADipHasShownAQueue() {
        latencies.unloaded(50 * Windows.MS);
        bound.add(Throughput.of(done(20, 300)));
        for (int window = 1; window < 10; window++) {
            assertEquals(60, bound.lowered(done(20, 300), 60, false));
        }
        assertEquals(42, bound.lowered(done(20, 300), 60, false), 1e-9);
        assertEquals(42, next(42, false), 1e-9, "in the next tenth of a second");
    }

    private double next(long limit, boolean sure) {
        return bound.lowered(done(20, 300), limit, sure);
    }

    private double afterASecond(long limit, boolean sure) {
        double lowered = limit;
        for (int window = 0; window < 10; window++) {
            lowered = Math.min(lowered, next(limit, sure));
        }
        return lowered;
    }

    @Test
    void onceADipHasShownAQueueItIsLoweredToTheBound() {
        latencies.unloaded(50 * Windows.MS);
        bound.add(Throughput.of(done(20, 300)));
        assertEquals(42, afterASecond(60, false), 1e-9);
        assertEquals(30, afterASecond(42, false), 1e-9, "the half of 60, not 0.7 times 42");
        assertEquals(30, afterASecond(30, false), 1e-9);
        assertEquals(25, afterASecond(30, true), 1e-9, "the bound, not 0.7 times 30");
        assertEquals(25, afterASecond(25, true), 1e-9);
    }

    @Test
    void onlyASecondWithoutABreakCounts() {
        latencies.unloaded(50 * Windows.MS);
        bound.add(Throughput.of(done(20, 50)));
        assertFalse(bound.isExceeded(Throughput.of(done(20, 50))));
        assertTrue(bound.isExceeded(Throughput.of(done(20, 300))));
        for (int window = 0; window < 100; window++) {
            Window seen = done(20, window % 5 == 0 ? 50 : 300);
            assertEquals(60, bound.lowered(seen, 60, false));
        }
    }

    @Test
    void whatIsServedIsTheInverseOfTheBound() {
        for (double served : new double[] {0.1, 1, 3.9, 4.1, 100, 1e6}) {
            assertEquals(served, LittleBound.served(LittleBound.of(served)), 1e-9 * served);
        }
    }
}
