package dev.weir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final Rejection REFUSED = new Rejection("l", Reason.RATE, 0, 1);

    /* What a limiter has given, as it completes it. */
    private final CompletableFuture<Decision> asked = new CompletableFuture<>();
    private final List<Outcome> released = new ArrayList<>();
    private final Permit permit = new Permit() {
        @Override
        public boolean release(Outcome outcome) {
            return released.add(outcome) && released.size() == 1;
        }
    };
    private final Lease lease = Lease.of(asked);
    private final List<Object> told = new ArrayList<>();

    private void listen() {
        lease.whenDecided(told::add, told::add);
    }

    @Test
    void aPermitIsReleasedWithTheOutcomeOfTheEndAndOnce() {
        listen();
        asked.complete(permit);
        assertEquals(List.of(permit), told);
        assertEquals(List.of(), released);
        assertTrue(lease.end(Outcome.SUCCESS));
        assertFalse(lease.end(Outcome.DROPPED));
        assertFalse(lease.endAfter(new TimeoutException()));
        assertEquals(List.of(Outcome.SUCCESS), released);
    }

    @Test
    void whatTheWorkThrewGivesTheOutcome() {
        asked.complete(permit);
        listen();
        assertTrue(lease.endAfter(new TimeoutException()));
        assertEquals(List.of(Outcome.DROPPED), released);
    }

    @Test
    void anEndBeforeTheDecisionCancelsTheRequest() {
        listen();
        assertTrue(lease.end(Outcome.IGNORED));
        assertTrue(asked.isCancelled());
        assertFalse(lease.end(Outcome.IGNORED));
        assertEquals(List.of(), told);
        assertEquals(List.of(), released);
    }

    @Test
    void aPermitThatNoActionWasToldOfIsReleasedAsCancelled() {
        asked.complete(permit);
        assertTrue(lease.end(Outcome.IGNORED));
        listen();
        assertEquals(List.of(), told);
        assertEquals(List.of(Outcome.CANCELLED), released);
    }

    @Test
    void aPermitThatIsGrantedAlthoughTheRequestWasCancelledIsReleased() {
        CompletableFuture<Decision> uncancellable = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                return false;
            }
        };
        Lease late = Lease.of(uncancellable);
        late.whenDecided(told::add, told::add);
        assertTrue(late.endAfter(new IllegalStateException("made up")));
        uncancellable.complete(permit);
        assertEquals(List.of(), told);
        assertEquals(List.of(Outcome.CANCELLED), released);
    }

    @Test
    void ofAnEndInsideTheActionThePermitIsReleasedToo() {
        lease.whenDecided(decision -> lease.end(Outcome.SUCCESS), told::add);
        asked.complete(permit);
        assertEquals(List.of(Outcome.SUCCESS), released);
    }

    @Test
    void anActionThatThrowsEndsTheLease() {
        lease.whenDecided(
                decision -> {
                    throw new IllegalStateException("made up");
                },
                told::add);
        asked.complete(permit);
        assertEquals(List.of(Outcome.IGNORED), released);
        assertFalse(lease.end(Outcome.SUCCESS));
    }

    @Test
    void eachActionIsToldTheDecision() {
        listen();
        asked.complete(permit);
        listen();
        assertEquals(List.of(permit, permit), told);
        lease.end(Outcome.SUCCESS);
        listen();
        assertEquals(List.of(permit, permit), told);
    }

    @Test
    void aRefusalHasNothingToEnd() {
        listen();
        asked.complete(REFUSED);
        assertEquals(List.of(REFUSED), told);
        assertFalse(lease.end(Outcome.SUCCESS));
        assertEquals(REFUSED, asked.join());
    }

    @Test
    void aFailureOfTheLimiterIsTold() {
        IllegalStateException failure = new IllegalStateException("made up");
        listen();
        asked.completeExceptionally(failure);
        assertEquals(List.of(failure), told);
        assertFalse(lease.end(Outcome.SUCCESS));
    }

    @Test
    void nullEndsNothing() {
        listen();
        asked.complete(permit);
        assertThrows(NullPointerException.class, () -> lease.end(null));
        assertThrows(NullPointerException.class, () -> lease.endAfter(null));
        assertTrue(lease.end(Outcome.SUCCESS));
    }
}
