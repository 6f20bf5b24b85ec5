package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A server of 100 workers that take 10 ms each, seen at a high limit and at a low one. */
class ContrastTest {
    private static final double SECOND = 1e9;

    /** So long that the error is next to nothing, unless said otherwise. */
    private static Throughput at(double limit, double seconds) {
        return new Throughput(limit, Math.min(limit, 100) * 100 * seconds, 0, seconds * SECOND, 1, 0);
    }

    private static Contrast of(double high, double low, double seconds) {
        return new Contrast(at(high, seconds), at(low, seconds), 1);
    }

    @Test
    void belowTheKneeThroughputFollowsTheLimit() {
        Contrast below = of(80, 60, 1e4);
        assertEquals(1, below.elasticity(), 1e-9);
        assertTrue(below.elastic());
        assertEquals(80, below.corrected(70), 0.01, "the nearer end");
        assertEquals("elasticity 1.00, 8000/s against 6000/s", below.toString());
    }

    @Test
    void aboveTheKneeItDoesNot() {
        Contrast above = of(300, 200, 1e4);
        assertEquals(0, above.elasticity(), 1e-9);
        assertFalse(above.elastic());
        assertEquals(200, above.corrected(210), 0.01, "the nearer end");
    }

    @Test
    void theKneeBetweenIsFound() {
        assertEquals(100, of(125, 98, 1e4).corrected(90), 0.01);
        assertEquals(100, of(125, 98, 1e4).corrected(110), 0.01);
    }

    @Test
    void withinTheErrorItHardlyMoves() {
        Contrast noisy = of(125, 98, 0.01); // some 100 completions each
        assertEquals(0.142, noisy.error(), 0.001); // sqrt(1/100 + 1/98)
        assertEquals(Math.log(100 / 99.0), noisy.distance(99), 1e-9);
        assertEquals(99, noisy.corrected(99), 0.01);
    }

    @Test
    void oneProbeMovesItByLessThanAFactorOfFour() {
        assertEquals(20 * Math.exp(0.8), of(125, 98, 1e4).corrected(20), 1e-9);
        assertEquals(1000 * Math.exp(-1.2), of(125, 98, 1e4).corrected(1000), 1e-9);
    }
}
