package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.NotCountedException;
import dev.weir.store.state.ValueRule.Result;
import dev.weir.store.state.ValueRule.Timed;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A value that is a sum: each call adds a number, and is answered by the sum. */
class StateValueTest {
    private static final long MILLI = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final SimulatedStore store = new SimulatedStore(time);
    private final SimulatedAccess access = new SimulatedAccess(store, time);
    private final StateValue<Long, Long> value = value(access);
    private final List<Timed<Long>> decided = new ArrayList<>();

    private StateValue<Long, Long> value(StateStore of) {
        return StateValue.of(of, "sum", "s", this::add, time, time);
    }

    private Result<Long> add(byte @Nullable [] state, List<Timed<Long>> calls, long now) {
        decided.clear();
        decided.addAll(calls);
        long sum = sum(state);
        List<Long> answers = new ArrayList<>();
        for (Timed<Long> each : calls) {
            if (each.call() == Long.MIN_VALUE) {
                throw new IllegalStateException("thrown by the rule");
            }
            sum += each.call();
            answers.add(sum);
        }
        byte[] next = ByteBuffer.allocate(Long.BYTES).putLong(sum).array();
        return new Result<>(sum == sum(state) ? null : next, Replacement.FOREVER, answers);
    }

    private static long sum(byte @Nullable [] state) {
        return state == null ? 0 : ByteBuffer.wrap(state).getLong();
    }

    private long stored() {
        return sum(store.state("weir:sum:s:"));
    }

    private CompletableFuture<Long> call(long number) {
        return value.call(number, false).toCompletableFuture();
    }

    private static Throwable failure(CompletableFuture<?> stage) {
        assertTrue(stage.isCompletedExceptionally(), () -> "no failure: " + stage);
        return assertThrows(CompletionException.class, stage::join).getCause();
    }

    private void delays(long nanos) {
        access.there = () -> nanos;
        access.back = () -> nanos;
    }

    @Test
    void R1_callsThatWaitAreOneReplacement() {
        delays(MILLI);
        List<CompletableFuture<Long>> all = List.of(call(1), call(2), call(3));
        time.advance(10 * MILLI);
        assertEquals(
                List.of(1L, 3L, 6L), all.stream().map(CompletableFuture::join).toList());
        assertEquals(2, access.commands, "a reading and a replacement");
        call(4);
        time.advance(10 * MILLI);
        assertEquals(3, access.commands, "what is known needs no reading");
        assertEquals(10, stored());
    }

    @Test
    void R1_aCallThatChangesNothingReadsAndWritesNothing() {
        call(1).join();
        store.replacements.clear();
        assertEquals(1, call(0).join());
        assertEquals(List.of(), store.replacements);
        store.overwrite(
                "weir:sum:s:", ByteBuffer.allocate(Long.BYTES).putLong(7).array());
        assertEquals(7, call(0).join(), "what is there now");
    }

    @Test
    void callsThatGoFirstAreDecidedBeforeThoseThatWait() {
        delays(MILLI);
        CompletableFuture<Long> sent = call(1);
        CompletableFuture<Long> other = call(10);
        CompletableFuture<Long> first = value.call(100L, true).toCompletableFuture();
        time.advance(10 * MILLI);
        assertEquals(List.of(101L, 111L), List.of(sent.join(), other.join()));
        assertEquals(100, first.join());
    }

    /** So many others wait, or have lost already, that one command cannot decide them all. */
    @Test
    void aFullQueueOfOthersKeepsNoneOutThatGoesFirst() {
        delays(MILLI);
        List<CompletableFuture<Long>> others = new ArrayList<>();
        for (int i = 0; i < StateValue.MOST_WAITING + KeyChain.TOGETHER; i++) {
            others.add(call(1));
        }
        assertInstanceOf(NotCountedException.class, failure(others.get(others.size() - 1)));
        CompletableFuture<Long> first = value.call(100L, true).toCompletableFuture();
        time.advance(3 * MILLI + MILLI);
        assertEquals(100, first.join(), "by the first replacement");
        time.advance(100 * MILLI);
        assertTrue(others.stream().allMatch(CompletableFuture::isDone));
        long failed = others.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .count();
        assertEquals(100 + others.size() - failed, stored());
    }

    @Test
    void R1_aLostReplacementIsDecidedAgainByWhatIsThere() {
        StateValue<Long, Long> other = value(new SimulatedAccess(store, time));
        call(1).join();
        assertEquals(3, other.call(2L, false).toCompletableFuture().join());
        assertEquals(7, call(4).join(), "after it had lost to the other");
        assertEquals(7, stored());
    }

    @Test
    void D1_afterLossesWithoutEndACallFailsAndHasChangedNothing() {
        StateStore contested = new StateStore() {
            @Override
            public CompletionStage<List<Stored>> read(List<String> names) {
                return access.read(names);
            }

            @Override
            public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
                store.overwrite("weir:sum:s:", new byte[Long.BYTES]);
                return access.replace(replacements);
            }
        };
        delays(MILLI);
        CompletableFuture<Long> call = value(contested).call(1L, true).toCompletableFuture();
        time.advance(2 * MILLI * StateValue.MOST_LOSSES);
        assertFalse(call.isDone());
        time.advance(10 * MILLI);
        assertInstanceOf(ContentionException.class, failure(call));
        assertEquals(0, stored());
    }

    @Test
    void aFailureFailsAllCallsOfItsCommandAndNothingIsRepeated() {
        call(1).join();
        access.answersLost = true;
        assertEquals("the answer is lost", failure(call(2)).getMessage());
        access.answersLost = false;
        assertEquals(3, call(0).join(), "it was counted");
        access.throwing = true;
        assertEquals("thrown by the store", failure(call(2)).getMessage());
        access.throwing = false;
        assertEquals("thrown by the rule", failure(call(Long.MIN_VALUE)).getMessage());
        assertEquals(7, call(4).join(), "and it goes on");
        StateValue<Long, Long> none = value(new StateStore() {
            @Override
            public CompletionStage<List<Stored>> read(List<String> names) {
                return CompletableFuture.completedFuture(List.of());
            }

            @Override
            public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
                return read(List.of());
            }
        });
        assertInstanceOf(
                IllegalStateException.class, failure(none.call(1L, false).toCompletableFuture()));
    }

    /** Such as one for want of memory. */
    @Test
    void anErrorOfTheRuleFailsTheCallAndHoldsUpNone() {
        boolean[] isBroken = {true};
        StateValue<Long, Long> broken = StateValue.of(
                access,
                "sum",
                "s",
                (state, calls, now) -> {
                    if (isBroken[0]) {
                        throw new OutOfMemoryError("thrown by the rule");
                    }
                    return add(state, calls, now);
                },
                time,
                time);
        assertInstanceOf(OutOfMemoryError.class, failure(broken.call(1L, false).toCompletableFuture()));
        isBroken[0] = false;
        assertEquals(2, broken.call(2L, false).toCompletableFuture().join());
    }

    /** As if it had been made long ago. */
    @Test
    void D1_aReplacementThatIsStoredTwoSecondsAfterItsInstantFails() {
        call(1).join();
        access.there = () -> MILLI;
        CompletableFuture<Long> late = call(2);
        store.jump(2_100_000);
        time.advance(10 * MILLI);
        assertInstanceOf(IllegalStateException.class, failure(late));
        delays(900 * MILLI);
        CompletableFuture<Long> soon = call(4);
        time.advance(10_000 * MILLI);
        assertEquals(7, soon.join());
    }

    @Test
    void aCommandWithoutAnAnswerFailsAfterTwoSecondsAndHoldsUpNoCall() {
        call(1).join();
        access.there = () -> 3_600_000 * MILLI;
        CompletableFuture<Long> silent = call(2);
        access.there = () -> 0;
        CompletableFuture<Long> next = call(4);
        time.advance(1_999 * MILLI);
        assertFalse(silent.isDone() || next.isDone());
        time.advance(MILLI);
        assertInstanceOf(TimeoutException.class, failure(silent));
        assertEquals(5, next.join());
    }

    @Test
    void aStoreWithoutAStageFailsTheCallAndHoldsUpNone() {
        boolean[] isBroken = {true};
        StateValue<Long, Long> broken = value(new StateStore() {
            @Override
            @SuppressWarnings("NullAway") // What the store must not do.
            public CompletionStage<List<Stored>> read(List<String> names) {
                return isBroken[0] ? null : access.read(names);
            }

            @Override
            public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
                return access.replace(replacements);
            }
        });
        assertInstanceOf(
                NullPointerException.class, failure(broken.call(1L, false).toCompletableFuture()));
        isBroken[0] = false;
        assertEquals(2, broken.call(2L, false).toCompletableFuture().join());
    }

    @Test
    void D1_theMarginIsByHowMuchTheClockMayHaveBeenFurther() {
        delays(5 * MILLI);
        call(1);
        time.advance(20 * MILLI);
        assertEquals(0, decided.get(0).marginMicros(), "it was read after the call");
        time.advance(7 * MILLI);
        call(2);
        assertEquals(10_002, decided.get(0).marginMicros(), "the last command took so long");
    }

    @Test
    void aKindIsAWord() {
        for (String kind : List.of("", "a:b", "A", "abcdefghij")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> StateValue.of(access, kind, "s", this::add, time, time),
                    kind);
        }
    }

    /** The clock of the store at each call is at most the instant of its decision and the margin, which the clock has reached. */
    @Test
    @Tag("property")
    void R1_instancesAtRandomDistancesLoseNoCallAndHaveMarginsThatHold() {
        Seed.forAll(200, random -> {
            VirtualTime own = new VirtualTime();
            SimulatedStore shared = new SimulatedStore(own);
            List<CompletableFuture<Long>> answers = new ArrayList<>();
            List<StateValue<Long, Long>> values = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                values.add(StateValue.of(at(random, shared, own), "sum", "s", this::addAt, own, own));
            }
            for (int i = 0; i < 200; i++) {
                own.advance(random.nextLong(2 * MILLI));
                StateValue<Long, Long> one = values.get(random.nextInt(values.size()));
                answers.add(one.call(shared.micros(), random.nextBoolean()).toCompletableFuture());
            }
            own.advance(20_000 * MILLI);
            List<Long> counted = answers.stream()
                    .filter(each -> !each.isCompletedExceptionally())
                    .map(CompletableFuture::join)
                    .sorted()
                    .toList();
            answers.stream()
                    .filter(CompletableFuture::isCompletedExceptionally)
                    .forEach(each -> assertInstanceOf(ContentionException.class, failure(each)));
            assertEquals(counted.stream().distinct().toList(), counted, "each has a count of its own");
            assertEquals(counted.size(), Collections.max(counted));
            assertTrue(counted.size() > 150, () -> "only " + counted.size());
        });
    }

    private static SimulatedAccess at(SplittableRandom random, SimulatedStore shared, VirtualTime own) {
        SimulatedAccess way = new SimulatedAccess(shared, own);
        way.there = () -> 1 + random.nextLong(3 * MILLI);
        way.back = () -> 1 + random.nextLong(3 * MILLI);
        return way;
    }

    /** Counts calls, each of which is the clock of the store when it was made. */
    private Result<Long> addAt(byte @Nullable [] state, List<Timed<Long>> calls, long now) {
        long count = sum(state);
        List<Long> answers = new ArrayList<>();
        for (Timed<Long> each : calls) {
            assertTrue(
                    each.call() <= now + each.marginMicros(),
                    () -> each.call() + " is after " + now + " and " + each.marginMicros());
            answers.add(++count);
        }
        return new Result<>(ByteBuffer.allocate(Long.BYTES).putLong(count).array(), 1_000_000, answers);
    }
}
