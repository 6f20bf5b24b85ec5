package dev.weir.store.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.store.lease.HeldLease;
import dev.weir.store.lease.LeaseReply;
import dev.weir.store.lease.LeaseReply.Reason;
import dev.weir.store.lease.LeaseStore;
import dev.weir.store.lease.LeaseTerms;
import dev.weir.store.lease.Leases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link LeaseStore}. A test of a store extends this, and says how to open the store, whose clock runs by itself. The
 * server should be a real one. Each test uses names of its own, so that what an earlier run has left disturbs nothing.
 */
@Tag("contract")
public abstract class LeaseStoreContract {
    private static final Duration LIVENESS = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofHours(1);
    private static final int THREADS = 8;
    private static final int TRIES = 50;

    private String own = unused();

    /** For a test of a store. */
    protected LeaseStoreContract() {}

    /** The access of an instance to the store, another one for each call, or the same. The contract does not close it. */
    protected abstract LeaseStore store() throws Exception;

    /** How long leases are that end within a test: much longer than a command takes. Default: 400 ms. */
    protected Duration lease() {
        return Duration.ofMillis(400);
    }

    /** How many leases each of eight threads takes one after the other. Default: 30. */
    protected int turns() {
        return 30;
    }

    private static String unused() {
        return "contract:" + Long.toUnsignedString(new SplittableRandom().nextLong(), Character.MAX_RADIX);
    }

    /** A test may have one instance for all methods. */
    @BeforeEach
    void useOtherNames() {
        own = unused();
    }

    private String name(String suffix) {
        return own + ':' + suffix;
    }

    private Leases holder(String name, String holder) throws Exception {
        return store().leases(name, holder);
    }

    private static LeaseTerms terms(long limit) {
        return terms(limit, LONG);
    }

    private static LeaseTerms terms(long limit, Duration lease) {
        return new LeaseTerms(limit, TimeUnit.NANOSECONDS.toMicros(lease.toNanos()));
    }

    private static ConditionFactory soon() {
        return await().atMost(LIVENESS).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    private static <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private static LeaseReply acquire(Leases holder, long permits, long limit) throws Exception {
        return answer(holder.acquire(permits, terms(limit), 0));
    }

    private static HeldLease held(Leases holder, long permits, long limit) throws Exception {
        LeaseReply reply = acquire(holder, permits, limit);
        assertTrue(reply.isGranted(), () -> permits + " of " + limit + ": " + reply);
        assertEquals(Reason.NONE, reply.reason());
        return new HeldLease(reply.token(), permits);
    }

    private static LeaseReply refused(Leases holder, long permits, long limit) throws Exception {
        LeaseReply reply = acquire(holder, permits, limit);
        assertEquals(0, reply.token(), () -> permits + " of " + limit + ": " + reply);
        assertEquals(Reason.HELD, reply.reason());
        return reply;
    }

    private static void release(Leases holder, HeldLease... leases) throws Exception {
        Object unused = answer(holder.release(List.of(leases), terms(1)));
    }

    private static List<Boolean> renew(Leases holder, HeldLease... leases) throws Exception {
        return answer(holder.renew(List.of(leases), terms(1)));
    }

    private static boolean waits(Leases holder, long limit) throws Exception {
        return answer(holder.acquire(1, terms(limit), TimeUnit.HOURS.toMicros(1)))
                        .reason()
                == Reason.WAITS;
    }

    @Test
    void permitsAreTakenTogetherOrNotAtAll() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        LeaseReply two = acquire(a, 2, 3);
        assertTrue(two.isGranted());
        assertEquals(List.of(1L, 3L, 0L), List.of(two.remaining(), two.limit(), two.retryMicros()));
        assertTrue(two.resetMicros() >= LONG.toMillis() * 999);
        LeaseReply refused = refused(b, 2, 3);
        assertEquals(List.of(1L, 3L), List.of(refused.remaining(), refused.limit()));
        assertTrue(refused.retryMicros() > 0 && refused.retryMicros() <= two.resetMicros());
        assertEquals(0, acquire(b, 1, 3).remaining());
    }

    @Test
    void moreThanTheLimitIsNeverGranted() throws Exception {
        Leases holder = holder(name("s"), "a");
        assertEquals(-1, refused(holder, 4, 3).retryMicros());
        assertEquals(-1, refused(holder, 1, 0).retryMicros());
        LeaseReply waiting = answer(holder.acquire(4, terms(3), 1_000_000));
        assertEquals(List.of(0L, -1L), List.of(waiting.token(), waiting.retryMicros()));
        assertEquals(Reason.HELD, waiting.reason(), "it does not wait for that");
        assertTrue(acquire(holder, 3, 3).isGranted());
    }

    /** The permits are counted outside too: before a release, and after a grant. */
    @Test
    void atMostTheLimitIsHeldByAllHoldersTogether() throws Exception {
        HeldByThreads.check(stores(), name("s"), 5, turns());
        HeldByThreads.check(stores(), name("one"), 1, turns() / 2);
    }

    private List<LeaseStore> stores() throws Exception {
        List<LeaseStore> stores = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            stores.add(store());
        }
        return stores;
    }

    @Test
    void tokensGrow() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        long last = 0;
        for (int i = 0; i < 20; i++) {
            Leases holder = i % 2 == 0 ? a : b;
            long before = last;
            long token = i % 5 == 4
                    ? answer(holder.charge(1, terms(1))).token()
                    : held(holder, 1, 1000).token();
            assertTrue(token > before, () -> token + " after " + before);
            last = token;
            if (i % 3 == 0) {
                release(holder, new HeldLease(token, 1));
            }
        }
    }

    @Test
    void permitsAreFreeAgainWhenTheirLeaseHasEndedAndNotBefore() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        long before = Ticker.system().read();
        LeaseReply first = answer(a.acquire(2, terms(2, lease()), 0));
        assertTrue(first.isGranted());
        LeaseReply[] second = new LeaseReply[1];
        soon().until(() -> {
            second[0] = acquire(b, 2, 2);
            return second[0].isGranted();
        });
        long passed = Ticker.system().read() - before;
        assertTrue(passed > lease().toNanos() * 9 / 10, () -> "free after " + passed + " ns");
        assertTrue(second[0].token() > first.token());
        assertEquals(List.of(false), renew(a, new HeldLease(first.token(), 2)), "its permits are those of another");
        release(a, new HeldLease(first.token(), 2));
        assertEquals(0, acquire(holder(name("s"), "c"), 1, 2).token(), "and it cannot release those");
    }

    /** A lease that was as short, and was taken later, has ended meanwhile. */
    @Test
    void aRenewalLetsALeaseEndLater() throws Exception {
        for (int i = 0; i < TRIES; i++) {
            Leases renewed = holder(name("renewed" + i), "a");
            LeaseReply brief = answer(renewed.acquire(1, terms(1, lease()), 0));
            HeldLease lease = new HeldLease(brief.token(), 1);
            if (renew(renewed, lease).get(0)) {
                LeaseTerms terms = terms(1, lease());
                Leases other = holder(name("other" + i), "a");
                assertTrue(answer(other.acquire(1, terms, 0)).isGranted());
                soon().until(() -> acquire(other, 1, 1).isGranted());
                refused(holder(name("renewed" + i), "b"), 1, 1);
                assertEquals(List.of(true), renew(renewed, lease));
                return;
            }
        }
        throw new AssertionError("never renewed in time in " + TRIES + " tries");
    }

    @Test
    void aReleaseFreesOnceAndOnlyWhatItsHolderHas() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        HeldLease first = held(a, 1, 2);
        HeldLease second = held(a, 1, 2);
        release(b, first);
        release(a, new HeldLease(first.token(), 2));
        release(a);
        refused(b, 1, 2);
        release(a, first);
        release(a, first);
        release(a, first, first);
        HeldLease third = held(b, 1, 2);
        refused(b, 1, 2);
        release(a, second, first);
        release(b, third);
        assertTrue(acquire(a, 2, 2).isGranted());
    }

    @Test
    void whatIsNotHeldIsNotRenewed() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        HeldLease kept = held(a, 1, 9);
        HeldLease gone = held(a, 1, 9);
        HeldLease others = held(b, 1, 9);
        release(a, gone);
        HeldLease larger = new HeldLease(kept.token(), 2);
        assertEquals(List.of(true, false, false, false, true), renew(a, kept, gone, others, larger, kept));
        assertEquals(List.of(), renew(a));
        assertEquals(List.of(false), renew(holder(name("unused"), "a"), kept));
    }

    @Test
    void manyLeasesAreRenewedAndReleasedByOneCall() throws Exception {
        Leases holder = holder(name("s"), "a");
        List<HeldLease> leases = new ArrayList<>();
        for (int i = 0; i < Leases.MOST_LEASES; i++) {
            leases.add(held(holder, 1, Leases.MOST_LEASES));
        }
        refused(holder, 1, Leases.MOST_LEASES);
        assertEquals(Collections.nCopies(leases.size(), true), answer(holder.renew(leases, terms(1))));
        Object unused = answer(holder.release(leases, terms(1)));
        assertTrue(acquire(holder, Leases.MOST_LEASES, Leases.MOST_LEASES).isGranted());
    }

    @Test
    void aChargeIsCountedAlsoBeyondTheLimit() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        HeldLease held = held(a, 2, 2);
        LeaseReply charged = answer(b.charge(3, terms(2)));
        assertTrue(charged.isGranted() && charged.token() > held.token());
        assertEquals(0, charged.remaining());
        release(a, held);
        refused(a, 1, 2);
        assertEquals(List.of(true), renew(b, new HeldLease(charged.token(), 3)));
        release(b, new HeldLease(charged.token(), 3));
        assertTrue(acquire(a, 2, 2).isGranted());
    }

    @Test
    void aLowerLimitGrantsNothingUntilThereIsRoom() throws Exception {
        Leases holder = holder(name("s"), "a");
        List<HeldLease> held = List.of(held(holder, 1, 3), held(holder, 1, 3), held(holder, 1, 3));
        assertEquals(0, refused(holder, 1, 2).remaining());
        release(holder, held.get(0));
        refused(holder, 1, 2);
        assertEquals(List.of(true, true), renew(holder, held.get(1), held.get(2)), "and takes nothing away");
        release(holder, held.get(1));
        assertEquals(0, acquire(holder, 1, 2).remaining());
        assertTrue(acquire(holder, 1, 3).isGranted(), "a higher one at once");
    }

    /** Room is kept for 100 ms: a try that was slower proves nothing. */
    @Test
    void holdersThatWaitHaveTheirTurnInTheOrderOfTheirArrival() throws Exception {
        for (int i = 0; i < TRIES; i++) {
            if (isInOrder(name("s" + i))) {
                return;
            }
        }
        throw new AssertionError("never in order in " + TRIES + " tries");
    }

    private boolean isInOrder(String name) throws Exception {
        Leases a = holder(name, "a");
        Leases b = holder(name, "b");
        Leases c = holder(name, "c");
        HeldLease held = held(a, 1, 1);
        assertTrue(waits(b, 1) && waits(c, 1) && waits(b, 1), "both wait, and b keeps its place");
        release(a, held);
        if (!waits(c, 1) || acquire(a, 1, 1).isGranted()) {
            return false;
        }
        LeaseReply first = answer(b.acquire(1, terms(1), 1));
        if (!first.isGranted()) {
            return false;
        }
        release(b, new HeldLease(first.token(), 1));
        return !acquire(b, 1, 1).isGranted()
                && answer(c.acquire(1, terms(1), 1)).isGranted();
    }

    @Test
    void aHolderThatDoesNotAskAgainIsForgotten() throws Exception {
        Leases a = holder(name("s"), "a");
        Leases b = holder(name("s"), "b");
        HeldLease held = held(a, 2, 2);
        long wait = TimeUnit.MILLISECONDS.toMicros(lease().toMillis());
        assertEquals(Reason.WAITS, answer(b.acquire(2, terms(2), wait)).reason());
        Object unused = answer(a.release(List.of(held), terms(2)));
        soon().until(() -> acquire(a, 1, 2).isGranted());
    }

    @Test
    void aBoundedNumberOfHoldersWaits() throws Exception {
        Leases a = holder(name("s"), "a");
        HeldLease held = held(a, 1, 1);
        LeaseStore store = store();
        for (int i = 0; i < Leases.MOST_WAITING; i++) {
            assertTrue(waits(store.leases(name("s"), "w" + i), 1), "one of " + Leases.MOST_WAITING);
        }
        assertFalse(waits(a, 1), "one more");
        assertTrue(waits(store.leases(name("s"), "w0"), 1), "one of them");
        release(a, held);
    }

    @Test
    void namesThatDifferInOneCharAreDifferent() throws Exception {
        String longest = own + "x".repeat(10_000);
        List<String> names = List.of(
                name("a"),
                name("A"),
                name("a "),
                name(" a"),
                name("a:"),
                name("a#"),
                name("a%3A"),
                name("{a}"),
                name("\u00e4"),
                name("a\u0308"),
                name("\ud83d\ude00"),
                name("\ud83d"),
                name("\ude00"),
                name("'\"\\%_?:;{}[]$\n\r\t\u0000\u007f\u200b\uffff"),
                name("--"),
                own,
                longest + "y",
                longest + "z");
        LeaseStore store = store();
        for (String name : names) {
            Leases holder = store.leases(name, "0");
            assertTrue(acquire(holder, 1, 1).isGranted(), () -> "is held already: " + name);
            refused(holder, 1, 1);
        }
    }

    @Test
    void holdersAreDifferentOrRefused() throws Exception {
        String longest = "x".repeat(31);
        List<String> holders = List.of("a", "A", "0", "00", longest + "a", longest + "b");
        List<HeldLease> held = new ArrayList<>();
        for (String holder : holders) {
            held.add(held(holder(name("s"), holder), 1, holders.size()));
        }
        for (String holder : holders) {
            for (HeldLease lease : held) {
                boolean isOwn = held.indexOf(lease) == holders.indexOf(holder);
                assertEquals(List.of(isOwn), renew(holder(name("s"), holder), lease));
            }
        }
        LeaseStore store = store();
        for (String holder : List.of("", " ", "a b", "a:b", "a=b", "a,b", "\u00e4", "\u0660", "\n", longest + "ab")) {
            assertThrows(IllegalArgumentException.class, () -> store.leases(name("s"), holder), holder);
        }
        for (String name : List.of("", " ", "\n")) {
            assertThrows(IllegalArgumentException.class, () -> store.leases(name, "a"));
        }
    }

    /** Nothing is thrown, and nothing is counted. */
    @Test
    void moreLeasesThanACallMayHaveFail() throws Exception {
        Leases holder = holder(name("s"), "a");
        List<HeldLease> tooMany = Collections.nCopies(Leases.MOST_LEASES + 1, new HeldLease(1, 1));
        for (CompletionStage<?> stage : List.of(holder.renew(tooMany, terms(1)), holder.release(tooMany, terms(1)))) {
            assertThrows(ExecutionException.class, () -> answer(stage));
        }
        assertTrue(acquire(holder, 1, 1).isGranted());
    }
}
