package dev.weir.succession;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How often a request pauses that loses. */
class SpinPauseTest {
    @Test
    void lessAfterEachLossAndOnceInTheEnd() {
        int all = 0;
        int pauses = SpinPause.FIRST;
        while (pauses > 1) {
            all += pauses;
            int next = SpinPause.pause(pauses);
            assertTrue(next < pauses, () -> next + " after a loss");
            pauses = next;
        }
        assertEquals(510, all);
        assertEquals(1, SpinPause.pause(1));
    }
}
