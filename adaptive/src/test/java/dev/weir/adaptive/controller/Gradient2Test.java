package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.busy;
import static dev.weir.adaptive.contract.Windows.quiet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.contract.ControllerContract;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Gradient2Test extends ControllerContract {
    /** From far above the knee it takes the queue for the long-term latency. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.ANY_START);
    }

    @Override
    protected Controller controller() {
        return new Gradient2();
    }

    /** It never settles: the average takes the queue in, up to the bound of 1000 within minutes. */
    @Override
    protected double[] knee() {
        return new double[] {1, 50};
    }

    @Test
    void aSequenceByHand() {
        Gradient2 gradient = new Gradient2();
        assertEquals(20, gradient.next(busy(20, 10).build(), 20)); // g 1: 0.8 x 20 + 0.2 x 24 = 20.8
        assertEquals(21, gradient.next(busy(20, 10).build(), 20)); // 0.8 x 20.8 + 0.2 x 24.8 = 21.6
        // R (10 + 10 + 30)/3 = 16.67, g 1.5 x 16.67/30 = 0.8333: 17.28 + 0.2 x (18 + 4) = 21.68
        assertEquals(21, gradient.next(busy(21, 30).build(), 21));
        assertEquals("gradient2: 83 % by 30000 us over 16667 us", gradient.why());
        // R 150/4 = 37.5, g 0.5625: 17.344 + 0.2 x (12.195 + 4) = 20.58
        assertEquals(20, gradient.next(busy(21, 100).build(), 21));
        // R 1150/5 = 230, g 0.345, so 0.5: 16.466 + 0.2 x (10.29 + 4) = 19.32
        assertEquals(19, gradient.next(busy(20, 1000).build(), 20));
        // R 1160/6 = 193.33, more than twice 10, so 183.67; g 1: 15.46 + 0.2 x 23.32 = 20.12
        assertEquals(20, gradient.next(busy(19, 10).build(), 19));
        assertEquals(183_666_667, gradient.learned().get("long-term"), 1);
    }

    @Test
    void afterTenWindowsTheAverageMovesByOneInThreeHundred() {
        Gradient2 gradient = new Gradient2();
        for (int window = 0; window < 10; window++) {
            gradient.next(busy(20, 10).build(), 20);
        }
        gradient.next(busy(20, 40.05).build(), 20);
        assertEquals(10_100_000, gradient.learned().get("long-term"), 1); // 10 + 30.05 x 2/601
    }

    @Test
    void lossesAreIgnoredAsPublishedAndWithoutDemandItStays() {
        Gradient2 gradient = new Gradient2();
        assertEquals(30, gradient.next(busy(30, 10).ended(1, 59, 0).build(), 30)); // 30.8
        assertEquals(30, gradient.next(quiet(30, 10), 30));
        assertEquals(
                30,
                gradient.next(
                        busy(30, 10).latencies(Latencies.NONE, Latencies.NONE).build(), 30));
        assertEquals(31, gradient.next(busy(30, 10).build(), 30)); // 31.6
    }

    @Test
    void itCannotGoBelowEight() {
        Gradient2 gradient = new Gradient2();
        gradient.restore(Map.of("long-term", 1e6), 1);
        long limit = 50;
        for (int window = 0; window < 60; window++) {
            limit = gradient.next(busy(limit, 1000).build(), limit); // g 0.5: L - 8 shrinks to 0.9 of it
        }
        assertEquals(8, limit);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.99, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void theToleranceIsAtLeastOne(double bad) {
        assertEquals(
                "tolerance must be >= 1 and finite, was " + bad,
                assertThrows(IllegalArgumentException.class, () -> new Gradient2(bad))
                        .getMessage());
    }
}
