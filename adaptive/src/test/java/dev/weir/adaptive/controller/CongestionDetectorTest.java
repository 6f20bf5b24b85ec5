package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import org.junit.jupiter.api.Test;

class CongestionDetectorTest {
    private final CongestionDetector detector = new CongestionDetector();

    private static Window.Builder inside(long inFlight, long admitted, long completed) {
        return Window.lasting(100 * MS, 1000)
                .inFlight(inFlight, inFlight)
                .requests(admitted, 0)
                .ended(completed, 0, 0);
    }

    private boolean harmed(long inFlight, long completed, double millis) {
        Window.Builder window = inside(inFlight, 100, completed).latencies(Windows.same(20, millis), Latencies.NONE);
        return detector.harmed(window.build(), 20, 1);
    }

    @Test
    void aBurstHarmsWhereThroughputFallsBeyondDoubt() {
        assertFalse(harmed(20, 1000, 10));
        assertFalse(harmed(31, 1000, 16), "it does not fall");
        assertFalse(harmed(31, 850, 18), "3.5 sqrt(1000 + 1000) = 156");
        assertFalse(harmed(30, 700, 22), "not more than 1.5 times the knee");
        assertTrue(harmed(31, 700, 22));
        detector.restart(Throughput.NONE);
        assertFalse(harmed(31, 700, 22));
    }

    @Test
    void aPauseIsNoHarm() {
        assertFalse(harmed(20, 1000, 10));
        assertFalse(harmed(31, 700, 10), "what came out took no longer");
        assertFalse(harmed(31, 0, 0), "nothing came out");
    }

    @Test
    void aFewCompletionsAreNoReference() {
        assertFalse(harmed(20, 23, 10));
        assertFalse(harmed(31, 0, 0));
        assertFalse(harmed(60, 1, 90));
    }

    @Test
    void startingOverWithNothingIsToKnowNothing() {
        detector.restart(detector.best());
        assertEquals(0, detector.rate());
        assertFalse(harmed(20, 1000, 10));
        assertTrue(harmed(31, 700, 22));
    }
}
