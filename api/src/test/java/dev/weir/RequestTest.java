package dev.weir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTest {
    @Test
    void aKeyMayKeepItsSource() {
        Request made = Request.forKey("before").withPermits(3).withKey("ann", "source");
        for (Request each : List.of(made, made.withPermits(2), made.withPriority(1), made.withDeadlineNanos(9))) {
            assertEquals("ann", each.key());
            assertEquals("source", each.source());
        }
        assertEquals(made, made.withKey("ann", "another source"));
        assertNull(made.withKey("ben").source());
        assertNull(made.withKey(null, "source").key());
        assertNull(Request.ONE.source());
    }
}
