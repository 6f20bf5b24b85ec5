package dev.weir.store.lease.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the leased semaphore does over a store that sends no messages, all in virtual time; each instance may have a clock of its own. */
@Tag("contract")
public abstract class SemaphoreContract {
    /** The clock of the store at the beginning, in microseconds since 1970. */
    protected static final long START = 1_755_840_000_000_000L;

    protected static final Duration LEASE = Duration.ofSeconds(9);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1_000_000_000L);
    private final long origin = time.read();
    private VirtualStore server;
    private StoreSemaphore semaphore;

    /** A store whose answers the test controls. */
    public interface VirtualStore {
        LeaseStore leases();

        /** Every call fails, and nothing is counted. */
        void down(boolean now);

        /** Calls are counted, but their answers wait for {@link #answer}. */
        void delayAnswers(boolean now);

        /** Completes the answers that wait now. */
        void answer();

        /** Calls so far, also those that failed. */
        int commands();
    }

    /**
     * A store that counts nothing, is up and answers at once.
     *
     * @param time of the test
     * @param clock the same as the store has it, in microseconds since 1970
     */
    protected abstract VirtualStore empty(VirtualTime time, LongSupplier clock);

    @BeforeEach
    final void begin() {
        server = empty(time, () -> START + (time.read() - origin) / 1_000);
        semaphore = instance(WhenAway.closed(), time);
    }

    protected final StoreSemaphore semaphore() {
        return semaphore;
    }

    /** Another one that shares the limit of 3, by the clock of the store. */
    protected final StoreSemaphore another() {
        return instance(WhenAway.closed(), time);
    }

    private StoreSemaphore instance(WhenAway whenAway, VirtualTime clock) {
        return StoreSemaphore.builder("s", new Semaphore(3), server.leases(), whenAway)
                .lease(LEASE)
                .ticker(clock)
                .alarm(clock)
                .executor(Runnable::run)
                .build();
    }

    protected static Decision tryOnce(StoreSemaphore semaphore) {
        return semaphore.acquireAsync(Request.ONE, Duration.ZERO).getNow(null);
    }

    protected static LeasedPermit permit(StoreSemaphore semaphore) {
        return assertInstanceOf(LeasedPermit.class, tryOnce(semaphore));
    }

    private static LeasedPermit permit(StoreSemaphore semaphore, long permits) {
        return assertInstanceOf(
                LeasedPermit.class,
                semaphore.acquireAsync(Request.of(permits), Duration.ZERO).getNow(null));
    }

    protected static void assertRefused(Reason reason, Decision decision) {
        assertEquals(reason, assertInstanceOf(Rejection.class, decision).reason());
    }

    protected final void advance(Duration duration) {
        time.advance(duration);
    }

    @Test
    void D13_exactlyTheLimitIsGrantedToAllInstancesTogether() throws InterruptedException {
        StoreSemaphore other = another();
        LeasedPermit first = permit(semaphore);
        LeasedPermit second = permit(other);
        LeasedPermit third = assertInstanceOf(LeasedPermit.class, other.acquire(Request.ONE, Duration.ZERO));
        assertRefused(Reason.CONCURRENCY, tryOnce(semaphore));
        assertRefused(Reason.CONCURRENCY, tryOnce(other));
        assertTrue(first.fencingToken() < second.fencingToken() && second.fencingToken() < third.fencingToken());
        assertEquals(new Quota(3, 0, LEASE.toNanos()), third.quota());
        assertTrue(second.release(Outcome.SUCCESS));
        assertFalse(second.release(Outcome.SUCCESS));
        assertFalse(second.isHeld());
        assertTrue(permit(semaphore).fencingToken() > third.fencingToken());
        assertRefused(Reason.CONCURRENCY, tryOnce(semaphore));
    }

    @Test
    void aRequestForMoreThanTheLimitIsNeverGranted() {
        assertRefused(
                Reason.NEVER,
                semaphore.acquireAsync(Request.of(4), Duration.ZERO).getNow(null));
        assertRefused(Reason.NEVER, semaphore.acquireAsync(Request.of(4), LONG).getNow(null));
        assertInstanceOf(
                Permit.class, semaphore.acquireAsync(Request.of(3), LONG).getNow(null));
        assertEquals(3, semaphore.held());
    }

    @Test
    void D13_allPermitsAreRenewedByOneAlarmAndOneCommand() {
        List<LeasedPermit> held = List.of(permit(semaphore), permit(semaphore), permit(semaphore));
        advance(Duration.ofSeconds(1));
        int before = server.commands();
        advance(LEASE.multipliedBy(10));
        assertEquals(30, server.commands() - before);
        assertTrue(held.stream().allMatch(LeasedPermit::isHeld));
        assertRefused(Reason.CONCURRENCY, tryOnce(another()));
    }

    @Test
    void D13_noRenewerIsLeftWhenNothingIsHeld() {
        permit(semaphore).close();
        advance(LEASE);
        assertEquals(0, time.pendingAlarms());
        int before = server.commands();
        advance(LEASE.multipliedBy(10));
        assertEquals(before, server.commands());
    }

    @Test
    void D13_aPausedHolderLearnsThatItsPermitIsLostAndItsLateReleaseDoesNothing() {
        VirtualTime paused = new VirtualTime();
        StoreSemaphore other = instance(WhenAway.closed(), paused);
        List<String> told = new ArrayList<>();
        LeasedPermit lost = permit(other);
        lost.onLost(() -> {
            throw new IllegalStateException("ignored");
        });
        lost.onLost(() -> told.add("lost"));
        advance(LEASE.minusMillis(1));
        permit(semaphore);
        permit(semaphore);
        assertRefused(Reason.CONCURRENCY, tryOnce(semaphore));
        advance(Duration.ofMillis(1));
        LeasedPermit next = permit(semaphore);
        assertTrue(lost.isHeld(), "it stands still");
        paused.advance(LEASE);
        assertFalse(lost.isHeld());
        assertEquals(List.of("lost"), told);
        lost.onLost(() -> told.add("at once"));
        assertEquals(List.of("lost", "at once"), told);
        assertTrue(lost.fencingToken() < next.fencingToken());
        assertTrue(lost.release(Outcome.SUCCESS));
        assertRefused(Reason.CONCURRENCY, tryOnce(semaphore));
        assertTrue(next.isHeld());
    }

    /** The renewal says so, although by its own clock the lease goes on. */
    @Test
    void D13_aHolderWithASlowClockLearnsOfItsLossFromTheServer() {
        VirtualTime slow = new VirtualTime();
        LeasedPermit lost = permit(instance(WhenAway.closed(), slow));
        advance(LEASE);
        slow.advance(LEASE.dividedBy(3));
        assertFalse(lost.isHeld());
    }

    @Test
    void D13_aPermitIsHeldNoLongerThanItsLeaseWhileTheServerIsAway() {
        LeasedPermit held = permit(semaphore);
        List<String> told = new ArrayList<>();
        held.onLost(() -> told.add("lost"));
        server.down(true);
        advance(LEASE.multipliedBy(9).dividedBy(10).minusNanos(1));
        assertTrue(held.isHeld());
        assertEquals(List.of(), told);
        advance(Duration.ofMillis(1));
        assertEquals(List.of("lost"), told, "by the alarm, without a question");
        server.down(false);
        advance(Duration.ofSeconds(1));
        assertFalse(held.isHeld(), "it does not come back");
        assertEquals(1, semaphore.held());
        held.close();
        assertEquals(0, semaphore.held());
    }

    @Test
    void aRequestWaitsUntilAnotherInstanceReleases() {
        StoreSemaphore other = another();
        List<LeasedPermit> held = List.of(permit(other), permit(other), permit(other));
        CompletableFuture<Decision> first = semaphore.acquireAsync(Request.ONE, LONG);
        CompletableFuture<Decision> second = semaphore.acquireAsync(Request.ONE, LONG);
        CompletableFuture<Decision> hasty = semaphore.acquireAsync(Request.ONE, Duration.ofSeconds(1));
        advance(Duration.ofSeconds(2));
        assertRefused(Reason.TIMED_OUT, hasty.getNow(null));
        assertFalse(first.isDone());
        held.get(0).close();
        advance(Duration.ofMillis(75));
        assertInstanceOf(LeasedPermit.class, first.getNow(null));
        assertFalse(second.isDone());
        assertInstanceOf(Permit.class, first.getNow(null)).close();
        assertInstanceOf(LeasedPermit.class, second.getNow(null), "after a release here it asks at once");
    }

    /** The busy instance asks again with each release, so that others never find a free permit when they ask. */
    @Test
    void S8_anInstanceThatIsRefusedForLongerThanAPollIsNext() {
        StoreSemaphore busy = another();
        int[] turns = {0};
        for (int i = 0; i < 100; i++) {
            takeTurns(busy, turns);
        }
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.of(1 + i % 3), LONG);
            advance(Duration.ofMillis(250));
            assertInstanceOf(Permit.class, waiting.getNow(null)).close();
        }
        assertTrue(turns[0] > 3 * 250 * 5 / 4, "the busy one had " + turns[0] + " turns of a millisecond");
        busy.close();
    }

    private void takeTurns(StoreSemaphore busy, int[] turns) {
        CompletableFuture<Void> unused = busy.acquireAsync(Request.ONE, LONG).thenAccept(decision -> {
            if (decision instanceof Permit permit) {
                turns[0]++;
                time.alarm(1_000_000, () -> {
                    permit.close();
                    takeTurns(busy, turns);
                });
            }
        });
    }

    @Test
    void waitingEndsWithTheLeaseOfADeadHolder() {
        StoreSemaphore dead = instance(WhenAway.closed(), new VirtualTime());
        permit(dead);
        permit(dead);
        permit(dead);
        CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.ONE, LONG);
        advance(LEASE.minusMillis(1));
        assertFalse(waiting.isDone());
        advance(Duration.ofMillis(76));
        assertTrue(waiting.isDone());
    }

    @Test
    void S3_aQueueBeforeTheGateGrantsToAllThatWait() {
        StoreSemaphore other = another();
        List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        List<AdmissionQueue> queues = new ArrayList<>();
        for (StoreSemaphore each : List.of(semaphore, other)) {
            AdmissionQueue queue = AdmissionQueue.builder("q", each.gate(), QueueSpec.of(20))
                    .ticker(time)
                    .alarm(time)
                    .executor(Runnable::run)
                    .build();
            queues.add(queue);
            for (int i = 0; i < 20; i++) {
                waiting.add(queue.acquireAsync(Request.of(1 + i % 3), LONG));
            }
        }
        for (int i = 0; i < 200 && !waiting.isEmpty(); i++) {
            advance(Duration.ofMillis(75));
            for (CompletableFuture<Decision> done :
                    waiting.stream().filter(CompletableFuture::isDone).toList()) {
                waiting.remove(done);
                assertInstanceOf(LeasedPermit.class, done.getNow(null)).close();
            }
        }
        assertEquals(0, waiting.size());
        queues.forEach(AdmissionQueue::close);
        advance(LEASE);
        assertEquals(0, time.pendingAlarms(), "polling has stopped");
        assertEquals(0, semaphore.held() + other.held());
    }

    @Test
    void aPermitThatNoRequestTakesIsReturned() {
        server.delayAnswers(true);
        CompletableFuture<Decision> gone = semaphore.acquireAsync(Request.ONE, LONG);
        assertTrue(gone.cancel(false));
        server.answer();
        assertEquals(1, semaphore.held());
        server.delayAnswers(false);
        advance(Duration.ofMillis(50));
        assertEquals(0, semaphore.held());
        assertInstanceOf(
                Permit.class,
                semaphore.acquireAsync(Request.of(3), Duration.ZERO).getNow(null));
    }

    /** The first that waits wants another number than the one before it, for which permits come that leave no room. */
    @Test
    void S3_aPermitThatWasFetchedForAnotherNumberHoldsUpNobody() {
        server.delayAnswers(true);
        CompletableFuture<Decision> gone = semaphore.acquireAsync(Request.of(2), LONG);
        CompletableFuture<Decision> next = semaphore.acquireAsync(Request.of(3), LONG);
        assertTrue(gone.cancel(false));
        answerAll();
        assertInstanceOf(Permit.class, next.getNow(null));
        assertEquals(3, semaphore.held());
    }

    @Test
    void S3_aPermitThatNobodyWantedHoldsUpNobodyWhoComesLater() {
        server.delayAnswers(true);
        CompletableFuture<Decision> gone = semaphore.acquireAsync(Request.of(2), LONG);
        assertTrue(gone.cancel(false));
        answerAll();
        assertEquals(2, semaphore.held(), "kept for a poll");
        CompletableFuture<Decision> next = semaphore.acquireAsync(Request.of(3), LONG);
        answerAll();
        assertInstanceOf(Permit.class, next.getNow(null));
    }

    /** The store answers before it hears of the release, and sends no messages. */
    @Test
    void S3_aReleaseDuringAQuestionIsAReasonToAskAgain() {
        LeasedPermit held = permit(semaphore, 3);
        server.delayAnswers(true);
        CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.ONE, LONG);
        held.close();
        answerAll();
        assertInstanceOf(Permit.class, waiting.getNow(null));
    }

    /* At one instant, also what is asked because of an answer. */
    private void answerAll() {
        for (int i = 0; i < 10; i++) {
            server.answer();
        }
    }

    @Test
    void aCancelledRequestGivesItsPermitBack() {
        server.delayAnswers(true);
        CompletableFuture<Decision> gone = semaphore.acquireAsync(Request.ONE, Duration.ZERO);
        assertTrue(gone.cancel(false));
        server.delayAnswers(false);
        server.answer();
        assertEquals(0, semaphore.held());
        assertInstanceOf(
                Permit.class,
                semaphore.acquireAsync(Request.of(3), Duration.ZERO).getNow(null));
    }

    @Test
    void aGrantThatComesAfterTheTimeOutIsReturned() {
        server.delayAnswers(true);
        CompletableFuture<Decision> asked = semaphore.acquireAsync(Request.ONE, Duration.ZERO);
        advance(Duration.ofMillis(200));
        assertRefused(Reason.UNAVAILABLE, asked.getNow(null));
        server.delayAnswers(false);
        server.answer();
        assertInstanceOf(
                Permit.class,
                semaphore.acquireAsync(Request.of(3), Duration.ZERO).getNow(null));
    }

    @Test
    void D6_afterThreeFailuresOnlyAProbeAtATimeIsSent() {
        server.down(true);
        for (int i = 0; i < 3; i++) {
            assertRefused(Reason.UNAVAILABLE, tryOnce(semaphore));
        }
        int before = server.commands();
        for (int i = 0; i < 100; i++) {
            assertRefused(Reason.UNAVAILABLE, tryOnce(semaphore));
        }
        assertEquals(before, server.commands());
        advance(Duration.ofSeconds(10));
        assertEquals(40, server.commands() - before);
        server.down(false);
        advance(Duration.ofMillis(250));
        permit(semaphore);
        semaphore.close();
    }

    @Test
    void D6_answersThatComeTooLateDoNotEndARowOfFailures() {
        server.delayAnswers(true);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Decision> asked = semaphore.acquireAsync(Request.ONE, Duration.ZERO);
            advance(Duration.ofMillis(200));
            assertRefused(Reason.UNAVAILABLE, asked.getNow(null));
            server.answer();
        }
        int before = server.commands();
        CompletableFuture<Decision> asked = semaphore.acquireAsync(Request.ONE, Duration.ZERO);
        assertTrue(asked.isDone());
        assertEquals(before, server.commands());
    }

    @Test
    void openAndLocalGrantWhileTheServerIsAwayAndTheServerCountsItAfterwards() {
        for (WhenAway whenAway : List.of(WhenAway.open(), WhenAway.local(2))) {
            begin();
            StoreSemaphore own = instance(whenAway, time);
            LeasedPermit before = permit(own);
            server.down(true);
            List<LeasedPermit> uncounted = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                if (tryOnce(own) instanceof LeasedPermit permit) {
                    uncounted.add(permit);
                }
            }
            assertEquals(whenAway instanceof WhenAway.Open ? 5 : 0, uncounted.size(), "half of 3, and 1 is held");
            if (uncounted.isEmpty()) {
                before.close();
                uncounted.add(permit(own));
                assertRefused(Reason.CONCURRENCY, tryOnce(own));
                before = uncounted.get(0);
            }
            assertEquals(0, uncounted.get(0).fencingToken());
            assertTrue(uncounted.get(0).isHeld());
            server.down(false);
            advance(Duration.ofMillis(250));
            assertTrue(uncounted.get(0).fencingToken() > 0);
            long held = own.held();
            StoreSemaphore other = another();
            Decision more = other.acquireAsync(Request.of(3), Duration.ZERO).getNow(null);
            assertRefused(Reason.CONCURRENCY, more);
            uncounted.forEach(LeasedPermit::close);
            before.close();
            assertEquals(0, own.held(), () -> "of " + held);
        }
    }

    @Test
    void awayWakesWaitingRequests() {
        StoreSemaphore own = instance(WhenAway.open(), time);
        StoreSemaphore other = another();
        other.acquireAsync(Request.of(3), Duration.ZERO).getNow(null);
        CompletableFuture<Decision> waiting = own.acquireAsync(Request.ONE, LONG);
        advance(Duration.ofMillis(500));
        assertFalse(waiting.isDone());
        server.down(true);
        advance(Duration.ofMillis(300));
        assertInstanceOf(Permit.class, waiting.getNow(null));
    }

    @Test
    void aRegistryThatThrowsGrantsNothing() {
        StoreSemaphore own = instance(
                WhenAway.local(() -> {
                    throw new IllegalStateException("registry");
                }),
                time);
        server.down(true);
        assertRefused(Reason.UNAVAILABLE, tryOnce(own));
    }

    @Test
    void aRaisedLimitWakesAndALoweredOneTakesNothingAway() {
        List<LeasedPermit> held = List.of(permit(semaphore), permit(semaphore), permit(semaphore));
        CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.ONE, LONG);
        semaphore.reconfigure(new Semaphore(4));
        assertInstanceOf(Permit.class, waiting.getNow(null));
        semaphore.reconfigure(new Semaphore(1));
        advance(LEASE);
        assertTrue(held.stream().allMatch(LeasedPermit::isHeld));
        held.forEach(LeasedPermit::close);
        assertRefused(Reason.CONCURRENCY, tryOnce(semaphore));
        assertEquals(new Semaphore(1), semaphore.spec());
        assertThrows(
                IllegalArgumentException.class,
                () -> semaphore.reconfigure(new FixedWindow(1, Duration.ofSeconds(1), null)));
    }

    @Test
    void S18_closeRefusesAllAndPermitsStayValid() {
        LeasedPermit held = permit(semaphore);
        permit(semaphore);
        permit(semaphore);
        CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.ONE, LONG);
        semaphore.close();
        assertRefused(Reason.CANCELLED, waiting.getNow(null));
        assertRefused(Reason.CANCELLED, tryOnce(semaphore));
        assertRefused(
                Reason.CANCELLED, semaphore.acquireAsync(Request.ONE, LONG).getNow(null));
        advance(LEASE.multipliedBy(3));
        assertTrue(held.isHeld());
        assertThrows(IllegalStateException.class, () -> semaphore.reconfigure(new Semaphore(9)));
    }

    @Test
    void optionsAreChecked() {
        StoreSemaphore.Builder builder =
                StoreSemaphore.builder("s", new Semaphore(1), server.leases(), WhenAway.open());
        assertThrows(IllegalArgumentException.class, () -> builder.lease(Duration.ofMillis(99)));
        assertThrows(IllegalArgumentException.class, () -> builder.timeout(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> builder.poll(Duration.ofDays(1)));
        assertThrows(IllegalArgumentException.class, () -> builder.maxWaiting(-1));
        assertThrows(
                IllegalArgumentException.class,
                () -> StoreSemaphore.builder(" ", new Semaphore(1), server.leases(), WhenAway.open()));
    }
}
