package dev.weir.succession;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How often a request pauses that loses. */
class BackoffTest {
    @Test
    void lessAfterEachLossAndOnceInTheEnd() {
        int all = 0;
        int pauses = Backoff.FIRST;
        while (pauses > 1) {
            all += pauses;
            int next = Backoff.pause(pauses);
            assertTrue(next < pauses, () -> next + " after a loss");
            pauses = next;
        }
        assertEquals(510, all);
        assertEquals(1, Backoff.pause(1));
    }
}
