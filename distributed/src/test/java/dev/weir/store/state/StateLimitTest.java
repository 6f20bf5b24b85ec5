package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Ticker;
import dev.weir.store.NotCountedException;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.internal.CallStage;
import dev.weir.store.internal.Joining;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Commands to the store, counted, and what each of them decides. */
class StateLimitTest {
    private static final long MILLI = 1_000_000;
    private static final String KEY = "weir:limit:l:k";

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1_000 * MILLI);
    private final SimulatedStore store = new SimulatedStore(time);
    private final SimulatedAccess access = new SimulatedAccess(store, time);
    private final StateLimit limit = limit(access);

    /** Ten permits a second, ten at once. */
    static StateRate rate(long permits, long burst) {
        long cost = 1_000_000;
        return StateRate.even(List.of(new EvenRate(permits, cost, burst * cost, burst, false, burst)));
    }

    private StateLimit limit(StateStore over) {
        return StateLimit.of(over, "l", rate(10, 10), String::valueOf, time, time);
    }

    private static Reply now(CompletionStage<Reply> stage) {
        CompletableFuture<Reply> future = stage.toCompletableFuture();
        assertTrue(future.isDone(), "not decided");
        return future.join();
    }

    private static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        assertTrue(future.isCompletedExceptionally(), "it did not fail");
        Throwable thrown = assertThrows(CompletionException.class, future::join);
        return thrown.getCause();
    }

    private void slow() {
        access.there = () -> MILLI;
        access.back = () -> MILLI;
    }

    private void pass(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    @Test
    void theFirstRequestReadsAndReplacesAndTheNextOnlyReplaces() {
        assertEquals(4, now(limit.acquire("k", 4)).granted());
        assertEquals(2, access.commands);
        assertEquals(6, now(limit.acquire("k", 6)).granted());
        assertEquals(3, access.commands);
        assertEquals(2, store.made.size());
    }

    @Test
    void whatIsKnownIsNotBuiltOnAfterASecond() {
        now(limit.acquire("k", 1));
        pass(1_000);
        now(limit.acquire("k", 1));
        assertEquals(4, access.commands);
    }

    /** The instant of a replacement is ahead of such a clock as soon as any time passes after an answer. */
    @Test
    void aStoreWhoseClockStandsStillDecidesEachRequest() {
        AtomicLong passed = new AtomicLong();
        Ticker ticker = () -> time.read() + passed.addAndGet(1_000);
        StateLimit ticking = StateLimit.of(access, "l", rate(10, 10), String::valueOf, ticker, time);
        for (int i = 1; i <= 10; i++) {
            assertEquals(1, now(ticking.acquire("k", 1)).granted());
            assertTrue(access.commands <= 1 + 2 * i, "a reading, and two replacements for each");
            pass(3);
            store.jump(-3 * MILLI / 1_000);
        }
        assertEquals(0, now(ticking.acquire("k", 1)).granted());
    }

    /** Another instance may have refunded meanwhile. */
    @Test
    void aRejectionIsReadAfterItWasAskedForAndWritesNothing() {
        now(limit.acquire("k", 10));
        assertEquals(0, now(limit.acquire("k", 1)).granted());
        assertEquals(1, store.made.size());
        StateLimit other = limit(new SimulatedAccess(store, time));
        now(other.charge("k", -1));
        assertEquals(1, now(limit.acquire("k", 1)).granted());
    }

    @Test
    void callsThatWaitAreDecidedByOneReplacementInTheirOrder() {
        slow();
        List<CompletionStage<Reply>> asked = new ArrayList<>();
        for (long permits : new long[] {1, 1, 5, 4, 3, 1}) {
            asked.add(limit.acquire("k", permits));
        }
        pass(6);
        assertEquals(
                List.of(1L, 1L, 5L, 0L, 3L, 0L),
                asked.stream().map(each -> now(each).granted()).toList());
        assertEquals(1, store.made.size());
        assertEquals(2, access.commands);
    }

    @Test
    void callsThatComeMeanwhileGoTogetherInTheNextReplacement() {
        slow();
        CompletionStage<Reply> first = limit.acquire("k", 1);
        pass(3);
        List<CompletionStage<Reply>> meanwhile =
                IntStream.range(0, 300).mapToObj(i -> limit.charge("k", 1)).toList();
        pass(1);
        assertEquals(1, now(first).granted());
        pass(20);
        meanwhile.forEach(StateLimitTest::now);
        assertEquals(3, store.made.size(), "1, then 256, then 44");
    }

    @Test
    void replacementsOfManyKeysGoTogether() {
        slow();
        int keys = 4 * Joining.TOGETHER;
        List<CompletionStage<Reply>> asked =
                IntStream.range(0, keys).mapToObj(i -> limit.acquire(i, 1)).toList();
        pass(100);
        asked.forEach(each -> assertEquals(1, now(each).granted()));
        assertTrue(store.replacements.stream().allMatch(names -> names.size() <= Joining.TOGETHER));
        assertTrue(store.replacements.stream().anyMatch(names -> names.size() == Joining.TOGETHER));
        store.replacements.forEach(names -> assertEquals(names.size(), new HashSet<>(names).size()));
        assertEquals(keys, store.made.size());
    }

    @Test
    void whoLosesARaceComputesAgainFromWhatItWasAnsweredAndDoesNotRead() {
        StateLimit other = limit(new SimulatedAccess(store, time));
        now(limit.acquire("k", 1));
        assertEquals(3, now(other.acquire("k", 3)).granted());
        int before = access.commands;
        assertEquals(0, now(limit.acquire("k", 7)).granted());
        assertEquals(1, access.commands - before, "the answer that tells of the other decides");
        now(other.charge("k", 1));
        assertEquals(5, now(limit.acquire("k", 5)).granted());
        assertEquals(3, access.commands - before);
    }

    private CompletionStage<Reply> contended(CompletionStage<Reply> asked, int millis) {
        for (int i = 0; i < millis / 2; i++) {
            store.overwrite(KEY, new byte[0]);
            pass(2);
        }
        return asked;
    }

    @Test
    void aCallThatLosesForASecondFailsAndHasCountedNothing() {
        slow();
        CompletionStage<Reply> asked = contended(limit.acquire("k", 1), 996);
        assertFalse(asked.toCompletableFuture().isDone());
        assertInstanceOf(ContentionException.class, failure(contended(asked, 4)));
        assertEquals(0, store.made.size());
        assertEquals(499, access.commands);
    }

    @Test
    void aCallThatLosesGoesOnAsLongAsItsCallerWaits() {
        slow();
        CallStage<Reply> asked = (CallStage<Reply>) limit.acquire("k", 1);
        asked.within(100 * MILLI);
        contended(asked, 96);
        assertFalse(asked.isDone(), "it has lost 47 times");
        pass(2);
        assertEquals(1, now(asked).granted());
    }

    @Test
    void aCallThatIsCancelledBeforeItIsSentIsNotCounted() {
        slow();
        CallStage<Reply> dead = (CallStage<Reply>) limit.acquire("k", 10);
        CompletionStage<Reply> live = limit.acquire("k", 7);
        pass(1);
        assertInstanceOf(CancellationException.class, dead.cancelUnsent());
        pass(9);
        assertEquals(7, now(live).granted());
        assertNull(((CallStage<Reply>) live).cancelUnsent());
        CallStage<Reply> sent = (CallStage<Reply>) limit.acquire("k", 1);
        assertNull(sent.cancelUnsent());
        pass(2);
        assertEquals(1, now(sent).granted());
    }

    @Test
    void ifAllCallsOfAKeyAreCancelledNothingIsSent() {
        slow();
        CallStage<Reply> dead = (CallStage<Reply>) limit.acquire("k", 10);
        pass(1);
        dead.cancelUnsent();
        pass(100);
        assertEquals(1, access.commands);
        assertEquals(0, store.made.size());
        assertEquals(1, now(passed(limit.acquire("k", 1))).granted());
        assertEquals(2, access.commands, "what was read is known still");
    }

    private <T> T passed(T asked) {
        pass(10);
        return asked;
    }

    @Test
    void aStoreThatNeverAnswersStopsAKeyForTwoSeconds() {
        access.there = () -> 1_000_000 * MILLI;
        CompletionStage<Reply> first = limit.acquire("k", 1);
        List<CompletionStage<Reply>> others = IntStream.range(0, 2 * Joining.TOGETHER)
                .mapToObj(i -> limit.acquire(i, 1))
                .toList();
        pass(1_999);
        access.there = () -> 0;
        CompletionStage<Reply> second = limit.acquire("k", 2);
        assertFalse(first.toCompletableFuture().isDone());
        pass(1);
        assertInstanceOf(TimeoutException.class, failure(first));
        assertEquals(2, now(second).granted());
        assertInstanceOf(TimeoutException.class, failure(others.get(0)));
        assertEquals(1, now(others.get(others.size() - 1)).granted(), "it waited");
    }

    @Test
    void aCallWhoseAnswerIsLostFailsAndIsNotRepeated() {
        now(limit.acquire("k", 1));
        access.answersLost = true;
        CompletionStage<Reply> lost = limit.acquire("k", 2);
        assertInstanceOf(IllegalStateException.class, failure(lost));
        access.answersLost = false;
        pass(100);
        assertEquals(2, store.made.size());
        assertEquals(7, now(limit.acquireUpTo("k", 7)).granted());
        assertEquals(0, now(limit.acquire("k", 2)).granted(), "it was counted");
    }

    @Test
    void aStoreThatFailsOrThrowsFailsTheCallsAndIsAskedAgainByTheNext() {
        access.failing = true;
        assertInstanceOf(IllegalStateException.class, failure(limit.acquire("k", 1)));
        access.failing = false;
        access.throwing = true;
        assertInstanceOf(IllegalStateException.class, failure(limit.acquire("k", 1)));
        access.throwing = false;
        assertEquals(1, now(limit.acquire("k", 1)).granted());
        assertDoesNotThrow(() -> limit.ping().toCompletableFuture().join());
    }

    @Test
    void aStoreThatAnswersWithTooFewValuesFailsTheCalls() {
        StateLimit strange = limit(new StateStore() {
            @Override
            public CompletionStage<List<Stored>> read(List<String> names) {
                return CompletableFuture.completedFuture(List.of());
            }

            @Override
            public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
                return CompletableFuture.completedFuture(null);
            }
        });
        assertInstanceOf(IllegalStateException.class, failure(strange.acquire("k", 1)));
    }

    @Test
    void aValueWhoseTimeHasPassedIsUnused() {
        now(limit.acquire("k", 10));
        store.remove(KEY);
        assertEquals(10, now(limit.acquire("k", 10)).granted());
        pass(3_001);
        assertNull(store.state(KEY), "it was full again after a second, and is kept for two more, and a millisecond");
        pass(5_000);
        assertEquals(10, now(limit.acquire("k", 10)).granted());
    }

    /**
     * What another instance was granted meanwhile has expired when the replacement of the absent value comes. At its instant, which is
     * earlier, it had not.
     */
    @Test
    void aReplacementThatComesLateForgetsNothingThatExpiredOnItsWay() {
        Iterator<Long> there = List.of(0L, 150 * MILLI).iterator();
        access.there = () -> there.hasNext() ? there.next() : 0;
        CompletionStage<Reply> late = limit.acquire("k", 10);
        pass(20);
        Reply one = now(limit(new SimulatedAccess(store, time)).acquire("k", 1));
        assertEquals(1, one.granted());
        pass(200);
        Reply ten = now(late);
        assertEquals(10, ten.granted());
        assertTrue(
                ten.at() - one.at() >= 100_000,
                () -> "11 of at most 10 at once are granted within " + Math.abs(ten.at() - one.at()) + " us");
    }

    /** The ticker runs fast, so the store refuses an instant that it has not reached. */
    @Test
    void aTickerThatRunsFastGrantsNoMore() {
        StateLimit fast = StateLimit.of(access, "l", rate(10, 10), String::valueOf, () -> 1_000 * time.read(), time);
        now(fast.acquire("k", 10));
        pass(100);
        Reply refused = now(fast.acquire("k", 2));
        assertEquals(0, refused.granted());
        assertEquals(1, now(fast.acquire("k", 1)).granted());
        assertEquals(store.micros(), store.made.get(1).atMicros());
    }

    @Test
    void aClockThatIsSetBackGrantsNoMoreAndGoesOn() {
        now(limit.acquire("k", 10));
        store.jump(-3_600_000_000L);
        assertEquals(0, now(limit.acquire("k", 1)).granted());
        pass(1_000);
        assertEquals(10, now(limit.acquire("k", 10)).granted());
    }

    @Test
    void whatIsNoStateIsHealed() {
        store.overwrite(KEY, new byte[] {1, 2, 3});
        Reply reply = now(limit.acquire("k", 1));
        assertEquals(1, reply.granted());
        assertEquals(1, reply.healed());
    }

    @Test
    void aKeyWithoutATextIsRefused() {
        StateLimit texts =
                StateLimit.of(access, "l", rate(10, 10), key -> key instanceof String text ? text : null, time, time);
        assertThrows(IllegalArgumentException.class, () -> texts.check(7));
        assertInstanceOf(IllegalArgumentException.class, failure(texts.acquire(null, 1)));
        assertInstanceOf(IllegalArgumentException.class, failure(texts.acquire("k", -1)));
        assertDoesNotThrow(() -> texts.check("k"));
        StateLimit throwing = StateLimit.of(
                access,
                "l",
                rate(10, 10),
                key -> {
                    throw new IllegalStateException("on purpose");
                },
                time,
                time);
        assertInstanceOf(IllegalStateException.class, failure(throwing.acquire("k", 1)));
        assertEquals(0, access.commands);
    }

    /** A machine that was suspended, for example: its ticker stood still. */
    @Test
    void aGrantThatTheStoreCountedLongAfterItsInstantIsNone() {
        StateLimit daily = StateLimit.of(access, "l", rate(1, 10), String::valueOf, time, time);
        now(daily.acquire("k", 5));
        store.jump(3_000_000);
        assertInstanceOf(IllegalStateException.class, failure(daily.acquire("k", 5)));
        assertEquals(3, now(daily.acquireUpTo("k", 10)).granted(), "it was counted three seconds ago");
    }

    /** A million keys are asked for; the state of each is small. */
    @Test
    void noMoreIsKeptThanWhatWaits() {
        access.there = () -> 3_600_000 * MILLI;
        List<CompletionStage<Reply>> asked = new ArrayList<>();
        @Nullable Throwable refused = null;
        for (int i = 0; refused == null && i < 1_000_000; i++) {
            CompletionStage<Reply> stage = limit.acquire(i, 1);
            asked.add(stage);
            refused = stage.toCompletableFuture().isDone() ? failure(stage) : null;
        }
        assertInstanceOf(NotCountedException.class, refused);
        assertEquals((1 << 16) + 1, asked.size());
    }

    @Test
    void aCallerThatAsksAgainWithEachReplyGrowsNoStack() {
        int[] left = {100_000};
        CompletableFuture<Void> all = new CompletableFuture<>();
        slow();
        askAgain(limit, left, all);
        access.there = () -> 0;
        access.back = () -> 0;
        pass(10);
        assertTrue(all.isDone());
        assertFalse(all.isCompletedExceptionally());
        assertEquals(0, left[0]);
    }

    private static void askAgain(StoreLimit limit, int[] left, CompletableFuture<Void> all) {
        CompletionStage<Void> unused = limit.charge("k", 1).thenAccept(reply -> {
            if (--left[0] == 0) {
                all.complete(null);
            } else {
                askAgain(limit, left, all);
            }
        });
    }

    @Test
    void aReplyTellsTheInstantThatWasStored() {
        slow();
        CompletionStage<Reply> asked = limit.acquire("k", 1);
        pass(10);
        assertEquals(store.made.get(0).atMicros(), now(asked).at());
        assertArrayEquals(store.made.get(0).state(), store.state(KEY));
    }
}
