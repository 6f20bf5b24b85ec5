package dev.weir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    @Test
    void aRefundableRequestIsTheSameButForThat() {
        Request request = new Request(7, 3, "ann", 9);
        Request asked = request.refundable();
        assertEquals(new Request(7, 3, "ann", 9, true), asked);
        assertNotEquals(request, asked);
        assertSame(asked, asked.refundable());
        assertSame(this, request.withKey("ann", this).refundable().source());
        for (Request other : List.of(
                asked.withPermits(1),
                asked.withPriority(0),
                asked.withKey("bob"),
                asked.withKey("bob", this),
                asked.withDeadlineNanos(1))) {
            assertTrue(other.isRefundable(), other::toString);
        }
    }

    @Test
    void aCostGoesThroughEachChangeOfTheRequest() {
        Request request = Request.forKey("ann").settled(300);
        Request changed = request.withPermits(2)
                .withPriority(3)
                .withDeadlineNanos(4)
                .refundable()
                .withKey("ben", "source");
        assertEquals(300, changed.cost());
        assertEquals(300, changed.amount());
        assertEquals("ben", changed.key());
        assertEquals("source", changed.source());
        assertEquals(7, changed.settled(7).withKey(null).cost());
        assertNull(changed.withKey(null).key());
        assertEquals(request, Request.forKey("ann").settled(300));
        assertNotEquals(request, Request.forKey("ann").settled(301));
        assertNotEquals(request, Request.forKey("ann"));
        assertEquals(2, changed.permits());
        assertEquals(5, Request.of(5).amount());
        assertEquals(0, Request.of(5).cost());
        assertThrows(IllegalArgumentException.class, () -> Request.ONE.settled(0));
    }
}
