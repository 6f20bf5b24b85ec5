package dev.weir.adaptive;

import static dev.weir.adaptive.Windows.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StartTest {
    private final Start start = new Start();

    private static Window.Builder inside(long inFlight, long admitted, long completed) {
        return Window.lasting(100 * MS, 1000)
                .inFlight(inFlight, inFlight)
                .asked(admitted, 0)
                .ended(completed, 0, 0);
    }

    private boolean congested(long inFlight, long admitted, long completed) {
        return start.congested(inside(inFlight, admitted, completed).build());
    }

    @Test
    void throughputThatGrowsWithWhatIsInsideIsHealthy() {
        for (long inFlight = 10; inFlight <= 640; inFlight *= 2) {
            assertFalse(congested(inFlight, inFlight + 10, inFlight));
        }
        assertEquals(6.4e-6, start.rate());
    }

    @Test
    void twiceAsMuchInsideForTheSameThroughputIsACrowd() {
        assertFalse(congested(20, 120, 100));
        assertFalse(congested(39, 120, 100));
        assertTrue(congested(40, 120, 100));
    }

    @Test
    void whatDrainsIsNoCrowd() {
        assertFalse(congested(20, 100, 100));
        assertFalse(congested(40, 100, 100));
    }

    @Test
    void aFewAreNoCrowd() {
        assertFalse(congested(2, 12, 10));
        assertFalse(congested(8, 12, 10));
    }

    @Test
    void whereTheLimitBindsNothingIsLearned() {
        assertFalse(start.congested(inside(1000, 100, 90).asked(100, 1).build()));
        assertEquals(0, start.rate());
    }

    private boolean harmed(long inFlight, long completed, double millis) {
        Window.Builder window = inside(inFlight, 100, completed).latencies(Windows.same(20, millis), Latencies.NONE);
        return start.harmed(window.build(), 20, 1);
    }

    @Test
    void aBurstHarmsWhereThroughputFallsBeyondDoubt() {
        assertFalse(harmed(20, 1000, 10));
        assertFalse(harmed(31, 1000, 16), "it does not fall");
        assertFalse(harmed(31, 850, 18), "3.5 sqrt(1000 + 1000) = 156");
        assertFalse(harmed(30, 700, 22), "not more than 1.5 times the knee");
        assertTrue(harmed(31, 700, 22));
        start.again(Throughput.NONE);
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
}
