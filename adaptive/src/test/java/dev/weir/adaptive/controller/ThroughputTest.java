package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ThroughputTest {
    private static final Throughput SEEN = new Throughput(8, 30, 2, 5e8, 1, 2e8);

    /* 8 at once that take 200 ms each are 40 a second, 20 in half a second. */
    @Test
    void atMostWhatALimitLetsOut() {
        assertEquals(new Throughput(8, 20, 2, 5e8, 1, 2e8), SEEN.atMost(8 / 2e8));
        assertEquals(SEEN, SEEN.atMost(8 / 1e8));
    }
}
