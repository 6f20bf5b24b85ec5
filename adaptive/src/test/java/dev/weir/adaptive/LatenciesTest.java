package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    /* A ticker that runs back measures less than nothing. */
    @Test
    void aLatencyBelowNothingCountsAsNothing() {
        Latencies some = Latencies.of(-8, 2, Long.MIN_VALUE, 6);
        assertEquals(4, some.count());
        assertEquals(2, some.mean());
        assertEquals(0, some.min());
    }

    @Test
    void quantilesAreByNearestRank() {
        Latencies some = Latencies.of(40, 10, 30, 20);
        assertEquals(10, some.quantile(0));
        assertEquals(10, some.quantile(0.25));
        assertEquals(20, some.quantile(0.5));
        assertEquals(30, some.quantile(0.51));
        assertEquals(40, some.quantile(1));
        assertEquals(0, Latencies.NONE.quantile(0.5));
    }
}
