package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The tests that every strategy has to pass. Extend this class and return your specification; all tests run against a
 * limiter that is made by it. A strategy that {@linkplain dev.weir.spi.Traits#holds() holds} permits is tested as a
 * concurrency limit, any other as a rate. A rate overrides {@link #maxWithin}.
 */
@Tag("contract")
public abstract class StrategyContract {
    /** For subclasses. */
    protected StrategyContract() {}

    /** The specification under test, with this limit. A rate's limit is per {@link #period}. */
    protected abstract StrategySpec spec(long limit);

    /** For a rate: the most permits it grants in any half-open window of this length. */
    protected long maxWithin(long windowNanos, long limit) {
        throw new UnsupportedOperationException("a rate must say what it promises");
    }

    /** For a rate: the nanoseconds in which {@code limit} permits refill. Default: one second. */
    protected long period() {
        return 1_000_000_000L;
    }

    /** Whether a request may ask for several permits. Default: true. */
    protected boolean weighs() {
        return true;
    }

    /**
     * For a rate: how many permits more than another that never got them it may grant in total, up to the n-th instant at which
     * it is asked for all, after requests were cancelled. More than 0 only where what is not taken in time is lost: one each time
     * for slots, or what fits beside a full bucket. Default: 0.
     */
    protected long gainByCancelling(int instants) {
        return 0;
    }

    /** A request for this many permits, with the key and the priority that the strategy needs. Default: none. */
    protected Request request(long permits) {
        return Request.of(permits);
    }

    @Test
    final void S10_R3_refusesALimitBelowOne() {
        for (long bad : new long[] {0, -1, Long.MIN_VALUE}) {
            String message = "" + assertThrows(IllegalArgumentException.class, () -> spec(bad));
            assertTrue(message.contains(" must be ") && message.endsWith("was " + bad), message);
        }
    }

    @Test
    final void C1_aBadLimitLeavesTheLastGoodOneInForce() {
        Strategy strategy = spec(7).create(new VirtualTime());
        for (long bad : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> strategy.setLimit(bad));
        }
        assertEquals(7, strategy.limit());
    }

    @Test
    final void W4_specsAreComparedByValueAndAnEqualOneChangesNothing() {
        assertEquals(spec(7), spec(7));
        ManagedLimiter limiter = limiter(7, new VirtualTime());
        StrategySpec first = limiter.spec();
        limiter.dial().setLimit(9);
        limiter.reconfigure(spec(7));
        assertSame(first, limiter.spec());
        assertEquals(9, limiter.dial().limit());
    }

    @Test
    final void S14_R5_anOversizeRequestIsRefusedForGoodAndCostsNothing() {
        ManagedLimiter limiter = limiter(5, new VirtualTime());
        Decision decision = limiter.tryAcquire(request(Long.MAX_VALUE));
        assertEquals(
                Rejection.Reason.NEVER,
                assertInstanceOf(Rejection.class, decision).reason());
        assertTrue(limiter.tryAcquire(request(1)) instanceof Permit);
    }

    @Test
    final void aRejectionHasAReasonThatTheStrategyNames() {
        ManagedLimiter limiter = limiter(5, new VirtualTime());
        assertTrue(limiter.reasons().contains(Rejection.Reason.NEVER), "a request for more permits than the limit");
        Decision decision = limiter.tryAcquire(request(1));
        for (int granted = 1; decision instanceof Permit; granted++) {
            assertTrue(granted < 1000, "it never refuses");
            decision = limiter.tryAcquire(request(1));
        }
        Rejection.Reason reason = ((Rejection) decision).reason();
        assertTrue(limiter.reasons().contains(reason), () -> reason + " is not one of " + limiter.reasons());
    }

    @Test
    final void theDialSetsTheLimit() {
        ManagedLimiter limiter = limiter(5, new VirtualTime());
        assertEquals(5, limiter.dial().limit());
        limiter.dial().setLimit(11);
        assertEquals(11, limiter.dial().limit());
        assertEquals(11, limiter.snapshot().limit());
        limiter.reconfigure(spec(3));
        assertEquals(3, limiter.dial().limit());
    }

    @Test
    final void S2_S13_capacityIsConservedOverAnyHistory() {
        concurrency().capacityIsConservedOverAnyHistory();
    }

    @Test
    final void S9_belowInFlightNothingIsAdmittedUntilItHasDrained() {
        concurrency().nothingIsAdmittedBelowInFlight();
    }

    @Test
    final void S1_S2_threadsNeverExceedTheLimit() throws Exception {
        concurrency().threadsNeverExceedTheLimit();
    }

    @Test
    final void R1_R4_noWindowHoldsMoreThanPromisedWhereverTheClockStarts() {
        rate().noWindowHoldsMoreThanPromised();
    }

    @Test
    final void R2_R3_theWaitIsNeverNegativeAndHonest() {
        rate().theWaitIsExact();
    }

    @Test
    final void R8_threadsAtOneInstantGetExactlyWhatIsThere() throws Exception {
        rate().threadsAtOneInstantGetWhatIsThere();
    }

    @Test
    final void W5_changesAtOneInstantGrantNothing() {
        rate().changesAtOneInstantGrantNothing();
    }

    @Test
    final void W5_whatWasGrantedIsUsed() {
        rate().whatWasGrantedIsUsed();
    }

    @Test
    final void R6_whatIsCancelledAtOnceCanBeGrantedAgainOnce() {
        new RefundProperties(tested()).allIsRefundedAtOnce();
    }

    @Test
    final void R6_waitersOfAQueueGetWhatIsRefundedAndNoMore() {
        new RefundProperties(tested()).waitersGetWhatIsRefunded();
    }

    @Test
    final void R6_whatHasRefilledSinceIsNotRefunded() {
        refunds().whatHasRefilledIsNotRefunded();
    }

    @Test
    final void R6_afterAResetNothingIsRefunded() {
        refunds().afterAResetNothingIsRefunded();
    }

    @Test
    final void R6_whatIsCancelledIsNotRefundedUnlessThatWasAskedFor() {
        refunds().notAskedForNothingIsRefunded();
    }

    @Test
    final void R6_afterAChangeARefundCreatesNothing() {
        refunds().afterAChangeARefundCreatesNothing();
    }

    @Test
    final void R6_moreRefundsThanGrantsCreateNothing() {
        refunds().moreRefundsThanGrantsCreateNothing();
    }

    @Test
    final void S20_whatTheQuotaSaysIsLeftIsWhatRequestsGet() {
        new QuotaProperties(tested()).whatIsLeftIsWhatRequestsGet();
    }

    @Test
    final void S20_askingForTheQuotaSpendsNothing() {
        new QuotaProperties(tested()).askingSpendsNothing();
    }

    @Test
    final void S20_whenTheQuotaIsResetNothingIsUsed() {
        new QuotaProperties(tested()).whenItIsResetNothingIsUsed();
    }

    private boolean holds() {
        return spec(1).create(new VirtualTime()).traits().holds();
    }

    private ManagedLimiter limiter(long limit, VirtualTime time) {
        return tested().limiter(limit, time);
    }

    private TestedStrategy tested() {
        return new TestedStrategy(
                this::spec, this::request, this::maxWithin, period(), weighs(), this::gainByCancelling);
    }

    private ConcurrencyProperties concurrency() {
        assumeTrue(holds(), "a rate, not a concurrency limit");
        return new ConcurrencyProperties(tested());
    }

    private RateProperties rate() {
        assumeFalse(holds(), "a concurrency limit, not a rate");
        return new RateProperties(tested());
    }

    private RefundProperties refunds() {
        assumeFalse(holds(), "a concurrency limit, not a rate");
        return new RefundProperties(tested());
    }
}
