package dev.weir.adaptive;

import static dev.weir.adaptive.contract.Windows.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.LimitAdvice.Advice;
import dev.weir.adaptive.contract.ControllerContract;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LimitAdviceTest extends ControllerContract {
    /** It advises, and stays where it is. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.ANY_START);
    }

    @Override
    protected Controller controller() {
        return new LimitAdvice();
    }

    private static Window second(long completed, long lost, double millis) {
        return Window.lasting(1_000_000_000, 100)
                .ended(completed, lost, 0)
                .latencies(same(20, millis), Latencies.NONE)
                .build();
    }

    private static LimitAdvice after(Window... windows) {
        LimitAdvice advice = new LimitAdvice();
        for (Window window : windows) {
            advice.see(window);
        }
        return advice;
    }

    @Test
    void byHand() {
        Advice advice = after(
                        second(500, 0, 10), // 5 in flight
                        second(1000, 0, 10), // 10
                        second(1800, 0, 10), // 18, but less than 95 % of 2050
                        second(1990, 0, 10), // 19.9
                        second(2010, 0, 10), // 20.1, in the same tenth: 2000/s at 20
                        second(2050, 0, 40), // 82
                        second(1900, 0, 60)) // 114, over the top
                .advice()
                .orElseThrow();
        assertEquals(82, advice.littles(), 1e-6);
        assertEquals(20, advice.knee(), 1e-6);
        assertEquals(29, advice.limit()); // 20 + 2 x 4.47 = 28.94
        assertEquals(7, advice.windows());
        assertEquals(
                "best 2050/s at 82.0 in flight, 2000/s at 20.0; some confidence: only 2 windows there",
                advice.because());
    }

    @Test
    void confidenceComesWithHavingSeenBeyondTheKneeOften() {
        LimitAdvice advice = new LimitAdvice();
        assertEquals(Optional.empty(), advice.advice());
        assertEquals("advice: nothing yet", advice.why());
        for (int window = 0; window < 30; window++) {
            advice.see(second(2000, 0, 10));
        }
        assertTrue(
                because(advice).endsWith("little confidence: not seen beyond 20.0, the knee may be higher"),
                because(advice));
        advice.see(second(1990, 0, 20));
        assertTrue(because(advice).endsWith("good confidence: no better up to 39.8"), because(advice));
    }

    private static String because(LimitAdvice advice) {
        return advice.advice().orElseThrow().because();
    }

    @Test
    void windowsOfFailuresOrWithoutLatenciesTellNothing() {
        LimitAdvice advice = after(
                second(0, 0, 10),
                second(89, 11, 10),
                Window.lasting(1, 1).ended(9, 0, 0).build());
        assertEquals(Optional.empty(), advice.advice());
        advice.see(second(90, 10, 100)); // 9 in flight: 9 + 2 x 3
        assertEquals(15, advice.advice().orElseThrow().limit());
    }

    @Test
    void asAControllerItChangesNothing() {
        LimitAdvice advice = new LimitAdvice();
        assertEquals(77, advice.next(second(2000, 0, 10), 77));
        assertTrue(advice.why().startsWith("advice: 29, best 2000/s"), advice.why());
    }
}
