package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordedLoadTest {
    private static RecordedLoad load(long sliceNanos, int[] holdSlices, long[] holdNanos) {
        return new RecordedLoad(
                Instant.EPOCH,
                sliceNanos,
                new int[] {3, 0, Integer.MAX_VALUE},
                holdSlices,
                holdNanos,
                List.of(),
                new long[0],
                new long[0],
                new long[] {3, 0},
                new long[] {1, 2},
                false);
    }

    @Test
    void theRequestsOfAllSlicesAndTheRefusedOfAllSecondsAreAddedWithoutOverflow() {
        assertEquals(3L + Integer.MAX_VALUE, load(1, new int[0], new long[0]).requests());
        assertEquals(3, load(1, new int[0], new long[0]).refusedThen());
    }
}
