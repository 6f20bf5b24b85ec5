package dev.weir.adaptive.controller;

import static dev.weir.adaptive.contract.Windows.busy;
import static dev.weir.adaptive.contract.Windows.quiet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Controller;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.contract.ControllerContract;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VegasTest extends ControllerContract {
    /** From far above the knee it takes the queue for the least latency; and each loss lowers it. */
    @Override
    protected Set<Promise> broken() {
        return Set.of(Promise.ANY_START, Promise.DROPS_THAT_NO_LIMIT_CURES);
    }

    @Override
    protected Controller controller() {
        return new Vegas();
    }

    /** A queue of three to six on top of the knee, and each renewal ratchets it upwards. */
    @Override
    protected double[] knee() {
        return new double[] {1, 4};
    }

    @ParameterizedTest
    @CsvSource({
        "  5, 10.0,   11", // no queue: + 6
        " 20, 10.0,   26",
        " 26, 10.5,   27", // ceil(26 x 0.5/10.5 = 1.24) = 2, below 3: + 1
        " 27, 12.0,   27", // ceil(27 x 2/12 = 4.5) = 5, from 3 to 6
        " 27, 15.0,   26", // 27 x 5/15 = 9, above 6: - 1
        "100, 10.0,  112", // g = 2: + 12
        "112, 10.3,  114", // ceil(112 x 0.3/10.3 = 3.26) = 4, below 6: + 2
        "112, 11.0,  112", // ceil(112 x 1/11 = 10.2) = 11, from 6 to 12
        "112, 15.0,  110", // 112 x 5/15 = 38: - 2
        "999, 10.0, 1011",
        "1000, 10.0, 1018", // g = 3: + 18
        "  1, 20.0,    7", // ceil(1 x 10/20) = 1, no more than g: + 6
    })
    void oneStepOverTenMillisecondsWithoutLoad(long limit, double millis, long answer) {
        Vegas vegas = new Vegas();
        assertEquals(limit, vegas.next(busy(limit, 10).build(), limit));
        assertEquals(answer, vegas.next(busy(limit, millis).build(), limit));
    }

    @Test
    void lossesLowerAndWithoutEvidenceItStays() {
        Vegas vegas = new Vegas();
        vegas.next(busy(25, 10).build(), 25);
        assertEquals(24, vegas.next(busy(25, 10).ended(9, 1, 0).build(), 25));
        assertEquals("vegas: 1 lost", vegas.why());
        assertEquals(24, vegas.next(quiet(24, 10), 24));
        assertEquals(
                24,
                vegas.next(
                        busy(24, 10).latencies(Latencies.NONE, Latencies.NONE).build(), 24));
        assertEquals(24, vegas.next(busy(24, 8).build(), 24));
        assertEquals("vegas: no-load latency now 8000 us", vegas.why());
        assertEquals(23, vegas.next(busy(24, 12).build(), 24)); // 24 x 4/12 = 8
    }

    @Test
    void theNoLoadLatencyIsRenewedWhateverTheLoad() {
        Vegas vegas = new Vegas();
        vegas.next(busy(20, 10).build(), 20);
        int windows = 1;
        for (; vegas.learned().get("no-load") < 50_000_000; windows++) {
            vegas.next(busy(20, 50).build(), 20);
        }
        int renewed = windows;
        assertTrue(renewed >= 300 && renewed <= 600, () -> "after " + renewed); // 30 x 20, times a half to one
        assertNotEquals(renewedAfter(1), renewedAfter(2));
        assertEquals(renewedAfter(1), renewedAfter(1));
    }

    private static int renewedAfter(long seed) {
        Vegas vegas = new Vegas(seed);
        int windows = 0;
        while (vegas.learned().getOrDefault("no-load", 0.0) < 50_000_000) {
            vegas.next(busy(20, windows++ == 0 ? 10 : 50).build(), 20);
        }
        return windows;
    }

    @Test
    void whatWasLearnedIsTakenUpAsFarAsItIsTrusted() {
        Vegas trusted = new Vegas();
        trusted.restore(Map.of("no-load", 10e6), 1);
        assertEquals(23, trusted.next(busy(24, 12).ended(9, 1, 0).build(), 24));
        assertEquals(22, trusted.next(busy(23, 20).build(), 23));
        Vegas doubted = new Vegas();
        doubted.restore(Map.of("no-load", 10e6), 0);
        assertEquals(Map.of(), doubted.learned());
    }
}
