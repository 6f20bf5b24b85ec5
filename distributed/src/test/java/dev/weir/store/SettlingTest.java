package dev.weir.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.share.Instances.Place;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Costs that are known afterwards, where the store decides each request: 1,000 at once, and 100 more each second. */
class SettlingTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final TokenBucket HUNDRED = TokenBucket.of(100, SECOND).withCapacity(1_000);

    private final VirtualTime time = new VirtualTime();
    private final ModelStore store = new ModelStore(time, 100, SECOND.toNanos(), 1_000);
    private final TestNetwork network = new TestNetwork(time);
    private final StoreRateLimiter limiter = limiter(WhenAway.closed());

    private StoreRateLimiter limiter(WhenAway away) {
        store.byCost = true;
        return StoreRateLimiter.builder("tokens", HUNDRED, spec -> store.over(network), away)
                .failuresUntilAway(1)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private static Request estimated(long cost) {
        return Request.forKey("model").settled(cost);
    }

    private Decision ask(Request request) {
        CompletableFuture<Decision> future = limiter.acquireAsync(request, Duration.ZERO);
        roundTrip();
        return future.join();
    }

    private Permit granted(long estimate) {
        return assertInstanceOf(Permit.class, ask(estimated(estimate)));
    }

    private Rejection refused(Request request) {
        return assertInstanceOf(Rejection.class, ask(request));
    }

    private void roundTrip() {
        time.advance(network.there + network.back);
    }

    private void goAway() {
        network.failing = true;
        assertTrue(limiter.acquireAsync(estimated(1), Duration.ZERO).isDone());
        assertFalse(limiter.status().up());
    }

    private void comeBack() {
        network.failing = false;
        time.advance(Duration.ofMillis(301)); // a probe, its time-out, and the next
        assertTrue(limiter.status().up());
    }

    @Test
    void aRequestTakesItsCostAndAnyOtherItsPermits() {
        assertInstanceOf(
                Permit.class, ask(Request.forKey("model").withPermits(7).settled(300)));
        assertEquals(300, store.taken);
        assertInstanceOf(Permit.class, ask(Request.forKey("model").withPermits(7)));
        assertEquals(307, store.taken);
    }

    @Test
    void aPermitIsSettledOnceByOneCommand() {
        store.refundsAll = true;
        Permit less = granted(300);
        Permit more = granted(300);
        Permit same = granted(300);
        long sent = network.sent;
        assertTrue(less.settle(100));
        assertTrue(more.settle(450));
        assertTrue(same.settle(300));
        assertEquals(sent + 2, network.sent, "what is as estimated changes nothing");
        roundTrip();
        assertEquals(List.of(200L, 150L), List.of(store.refunded, store.charged));
        for (Permit permit : List.of(less, more, same)) {
            assertFalse(permit.settle(0));
            assertTrue(permit.release(Outcome.CANCELLED));
            assertFalse(permit.release(Outcome.SUCCESS));
            assertFalse(permit.settle(0));
        }
        roundTrip();
        assertEquals(List.of(200L, 150L), List.of(store.refunded, store.charged), "nothing more");
        assertEquals(6, limiter.status().settledAgain());
    }

    @Test
    void aCostIsNotNegativeAndThePermitCanStillBeSettled() {
        Permit permit = granted(300);
        assertThrows(IllegalArgumentException.class, () -> permit.settle(-1));
        assertTrue(permit.settle(300));
    }

    @Test
    void whatIsMoreThanTheRestIsOwedAndNobodyIsRefusedForLongerThanThatIsPaid() {
        Permit permit = granted(900);
        assertTrue(permit.settle(1_500));
        roundTrip();
        assertEquals(Reason.RATE, refused(Request.forKey("model")).reason());
        time.advance(Duration.ofSeconds(5));
        long wait = refused(Request.forKey("model")).retryAfterNanos();
        assertTrue(wait <= SECOND.dividedBy(100).toNanos(), () -> "500 are paid after 5 s, wait " + wait);
        time.advance(Duration.ofNanos(wait));
        assertInstanceOf(Permit.class, ask(Request.forKey("model")));
    }

    @Test
    void onlyWhatHasNotRefilledIsRefunded() {
        Permit permit = granted(500);
        time.advance(Duration.ofSeconds(3));
        assertTrue(permit.settle(0));
        roundTrip();
        assertEquals(200, store.refunded, "300 are free again after 3 s");
        Permit late = granted(500);
        time.advance(Duration.ofSeconds(6));
        assertTrue(late.settle(0));
        roundTrip();
        assertEquals(200, store.refunded);
    }

    @Test
    void chargeSpendsTheCostAndIsNeverRefused() {
        assertTrue(limiter.charge(estimated(1_400)));
        assertTrue(limiter.charge(Request.forKey("model").withPermits(3)));
        roundTrip();
        assertEquals(1_403, store.charged);
        assertEquals(Reason.RATE, refused(Request.forKey("model")).reason());
    }

    @Test
    void aLimitThatDoesNotCountByCostTakesThePermitsAndSettlesNothing() {
        store.byCost = false;
        Permit permit = granted(900);
        assertEquals(1, store.taken);
        assertFalse(permit.settle(2_000));
        assertFalse(limiter.charge(estimated(900)));
        roundTrip();
        assertEquals(1, store.counted());
        assertEquals(0, limiter.status().settledAgain());
    }

    @Test
    void aRequestThatWaitsWhileTheLimitBeginsToCountByCostTakesItsCost() {
        store.byCost = false;
        assertInstanceOf(Permit.class, ask(Request.forKey("model").withPermits(1_000)));
        CompletableFuture<Decision> waiting = limiter.acquireAsync(estimated(50), Duration.ofSeconds(2));
        roundTrip();
        store.byCost = true;
        limiter.reconfigure(HUNDRED.withCapacity(999));
        time.advance(SECOND);
        Permit permit = assertInstanceOf(Permit.class, waiting.join());
        assertEquals(1_050, store.taken);
        assertTrue(permit.settle(50));
    }

    @Test
    void whatIsOwedIsChargedWhenTheStoreIsBackAndAnEstimateStaysSpent() {
        Permit more = granted(300);
        Permit less = granted(300);
        goAway();
        assertTrue(more.settle(400));
        assertTrue(less.settle(100));
        assertTrue(limiter.charge(estimated(50)));
        comeBack();
        roundTrip();
        assertEquals(List.of(150L, 0L), List.of(store.charged, store.refunded));
        assertTrue(limiter.status().inDoubtPermits() >= 150, "what was not refunded is told");
        assertEquals(0, limiter.status().uncountedPermits());
    }

    @Test
    void aSettlementWhoseAnswerIsLostIsNotSentAgainAndIsTold() {
        Permit more = granted(300);
        Permit less = granted(300);
        network.answersLost = true;
        assertTrue(more.settle(400));
        assertTrue(less.settle(200));
        time.advance(Duration.ofSeconds(1));
        network.answersLost = false;
        comeBack();
        roundTrip();
        assertEquals(100, store.charged);
        assertEquals(100, limiter.status().uncountedPermits(), "nobody knows that it was counted");
    }

    @Test
    void aSettlementAfterTheLimiterWasClosedIsSent() {
        store.refundsAll = true;
        Permit more = granted(300);
        Permit less = granted(300);
        limiter.close();
        assertTrue(more.settle(301));
        assertTrue(less.settle(299));
        roundTrip();
        assertEquals(List.of(1L, 1L), List.of(store.charged, store.refunded));
    }

    @Test
    void whatIsGrantedWhileTheStoreIsAwayAndEverythingIsOpenIsSettledNowhere() {
        StoreRateLimiter open = limiter(WhenAway.open());
        network.failing = true;
        Permit permit = assertInstanceOf(
                Permit.class, open.acquireAsync(estimated(100), Duration.ZERO).join());
        network.failing = false;
        time.advance(Duration.ofMillis(101));
        assertTrue(permit.settle(5_000));
        assertFalse(permit.settle(5_000));
        roundTrip();
        assertEquals(0, store.charged);
    }

    /** This instance is one of two: 500 at once, and 50 more each second. */
    private StoreRateLimiter local() {
        store.byCost = true;
        return StoreRateLimiter.builder(
                        "tokens",
                        Settled.of(HUNDRED),
                        spec -> store.over(network),
                        WhenAway.local(() -> new Place(0, 2)))
                .local((spec, place) ->
                        Settled.of(TokenBucket.of(100, SECOND.multipliedBy(2)).withCapacity(500)))
                .failuresUntilAway(1)
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    private static Permit now(StoreRateLimiter of, long estimate) {
        return assertInstanceOf(
                Permit.class,
                of.acquireAsync(estimated(estimate), Duration.ZERO).join());
    }

    private static boolean isRefused(StoreRateLimiter of, long estimate) {
        return of.acquireAsync(estimated(estimate), Duration.ZERO).join() instanceof Rejection;
    }

    @Test
    void whatThePartGrantsIsSettledThereAndTheStoreIsToldOfTheCost() {
        StoreRateLimiter local = local();
        network.failing = true;
        Permit less = now(local, 200);
        Permit more = now(local, 200);
        assertTrue(less.settle(50));
        assertTrue(isRefused(local, 251));
        assertTrue(more.settle(800));
        assertTrue(isRefused(local, 1), "350 are owed");
        time.advance(Duration.ofMillis(90));
        network.failing = false;
        time.advance(Duration.ofMillis(50));
        assertTrue(local.status().up());
        assertEquals(List.of(850L, 0L), List.of(store.charged, store.refunded), "50 and 800");
        time.advance(Duration.ofMillis(7_000));
        network.failing = true;
        assertTrue(isRefused(local, 100));
        now(local, 1);
    }

    @Test
    void whatThePartGrantedIsRefundedByTheStoreThatWasToldOfIt() {
        store.refundsAll = true;
        StoreRateLimiter local = local();
        network.failing = true;
        Permit less = now(local, 200);
        time.advance(Duration.ofMillis(90));
        network.failing = false;
        time.advance(Duration.ofMillis(50));
        assertEquals(200, store.charged);
        assertTrue(less.settle(50));
        time.advance(Duration.ofMillis(50));
        assertEquals(150, store.refunded);
    }

    @Test
    void whatTheStoreGrantedAndWasOverrunIsTakenFromThePart() {
        StoreRateLimiter local = local();
        CompletableFuture<Decision> granted = local.acquireAsync(estimated(300), Duration.ZERO);
        roundTrip();
        assertTrue(assertInstanceOf(Permit.class, granted.join()).settle(450));
        roundTrip();
        network.failing = true;
        assertTrue(isRefused(local, 60));
        now(local, 40);
    }
}
