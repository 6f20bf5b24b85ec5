package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.named.recorder.Previewer.HoldMean;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldMeanTest {
    private static final long MILLI = 1_000_000;

    private static HoldMean mean(long[] holds, long[] inFlight, long granted, boolean isHeavy) {
        long[] admitted = new long[inFlight.length];
        Arrays.fill(admitted, granted);
        return HoldMean.of(new RecordedLoad(
                Instant.EPOCH,
                10 * MILLI,
                new int[100 * inFlight.length],
                new int[holds.length],
                holds,
                List.of(),
                new long[0],
                inFlight,
                admitted,
                new long[0],
                isHeavy));
    }

    /* 90 and 110 ms in turn. */
    private static long[] holds(int many) {
        long[] holds = new long[many];
        Arrays.setAll(holds, i -> (i % 2 == 0 ? 90 : 110) * MILLI);
        return holds;
    }

    private static long[] inFlight(long... readings) {
        long[] all = new long[100];
        Arrays.setAll(all, i -> readings[i % readings.length]);
        return all;
    }

    @Test
    void withoutReadingsTheSampleCounts() {
        HoldMean mean = mean(holds(100), new long[0], 0, false);
        assertEquals(1, mean.factor());
        // a deviation of a tenth, divided by the root of 100
        assertEquals(2.5 * .01, mean.error(), 1e-9);
        assertEquals(new HoldMean(1, 0), mean(new long[0], new long[0], 0, false));
    }

    @Test
    void twoFiguresAreBetterThanOne() {
        // 102 in flight at 1,000 a second: 102 ms
        HoldMean mean = mean(holds(100), inFlight(98, 106), 1_000, false);
        assertTrue(mean.factor() > 1 && mean.factor() < 1.02, mean::toString);
        assertTrue(mean.error() < 2.5 * .01, mean::toString);
    }

    @Test
    void aNumberInFlightThatNeverVariesIsExact() {
        HoldMean mean = mean(holds(100), inFlight(102), 1_000, false);
        assertEquals(1.02, mean.factor(), 1e-9);
        assertEquals(0, mean.error(), 1e-9);
    }

    @Test
    void whatIsNeverReleasedCountsOnlyInFlight() {
        assertEquals(1, mean(holds(100), inFlight(198, 206), 1_000, false).factor());
        assertEquals(
                1, mean(holds(100), inFlight(98, 106), 1_000, true).factor(), "nor do several permits of one request");
    }
}
