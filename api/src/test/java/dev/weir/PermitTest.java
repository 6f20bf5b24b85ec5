package dev.weir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** A permit that a store grants, for example: its limiter has no classifier. */
class PermitTest {
    private final List<Outcome> released = new ArrayList<>();
    private final Permit permit = new Permit() {
        @Override
        public boolean release(Outcome outcome) {
            return released.add(outcome);
        }
    };

    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public Throwable getCause() {
            throw new IllegalStateException("of the test");
        }
    }

    @Test
    void anExceptionThatCannotBeReadKeepsNoPermit() {
        permit.releaseAfter(new Unreadable());
        permit.releaseAfter(new TimeoutException());
        assertEquals(List.of(Outcome.IGNORED, Outcome.DROPPED), released);
    }

    @Test
    @SuppressWarnings("NullAway")
    void nullIsRefusedAndThePermitIsStillHeld() {
        assertThrows(NullPointerException.class, () -> permit.releaseAfter(null));
        assertEquals(List.of(), released);
    }
}
