package dev.weir.verification.composition;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Figures;
import dev.weir.testkit.Composition.Law;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Composition.Rate;
import dev.weir.testkit.CompositionContract;
import dev.weir.verification.composition.Mutants.Eviction;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the contract finds, and that it finds nothing where nothing is wrong. */
@Tag("nightly")
class MutantsTest {
    private static final int STEPS = 100_000;
    private static final long PERIOD = 2_520_000;

    private static void isRight(Composition.Source source) {
        new CompositionContract(source).forwardOnly().check(STEPS);
    }

    private static void isCaught(Composition.Source source, String symptom) {
        CompositionContract contract = new CompositionContract(source).forwardOnly();
        AssertionError caught = assertThrows(AssertionError.class, () -> contract.check(STEPS), contract::toString);
        assertTrue(String.valueOf(caught.getMessage()).contains(symptom), caught::getMessage);
    }

    @Test
    void aRefundOfTheOldestStarves() {
        isRight(always(log(false)));
        isCaught(always(log(true)), "the twin");
    }

    private static Composition log(boolean refundsOldest) {
        return alone(
                new Mutants.Log(3, PERIOD, refundsOldest), 3, rate(now -> new Figures(now, PERIOD, now, 0, PERIOD)));
    }

    @Test
    void aDebtThatIsScaledOneWayIsForgotten() {
        isRight((random, count) -> List.of(window(2, false), window(9, false)));
        isCaught((random, count) -> List.of(window(2, true), window(9, true)), "permits");
    }

    /*
     * A lowered limit counts for two periods more: in window k at most the largest limit of that window is granted, and by
     * what counts then each full window refills at least the largest limit of the window before it. So what is granted
     * beyond the refill is at most the largest limits of the last two windows, the burst and what is forgotten. One period
     * is too little: if the limit is lowered after a full window has been granted, and raised again at the end of the next
     * one, then that window is granted in full too, without having been refilled.
     */
    private static Composition window(long limit, boolean scalesDown) {
        return alone(
                new Mutants.Window(limit, PERIOD, scalesDown),
                limit,
                rate(now -> new Figures(now, PERIOD, now, now, 2 * PERIOD)));
    }

    @Test
    void aCounterThatIsNotHandedOnThroughARateAdmitsTwice() {
        Composition bucket =
                alone(TokenBucket.of(5, Duration.ofNanos(PERIOD)), 5, rate(now -> new Figures(now, PERIOD, 5, 0, 0)));
        isRight((random, count) -> List.of(counted(2, false), bucket, counted(3, false)));
        isCaught((random, count) -> List.of(counted(2, true), bucket, counted(3, true)), "nFlight");
    }

    private static Composition counted(long limit, boolean startsAnew) {
        Concurrency law = new Concurrency((now, request) -> now, (now, request) -> now);
        return alone(new Mutants.Counted(limit, startsAnew), limit, law);
    }

    @Test
    void anEvictionMayNeitherForgetNorRememberMoreThanWasUsed() {
        isRight(always(table(Eviction.REMEMBERS)));
        isCaught(always(table(Eviction.FORGETS)), "permits");
        isCaught(always(table(Eviction.REMEMBERS_ALL_AS_USED)), "the twin");
    }

    private static Composition table(Eviction eviction) {
        StrategySpec perKey = TokenBucket.of(5, Duration.ofNanos(PERIOD));
        Part part = Part.alone(perKey, 5, rate(now -> new Figures(now, PERIOD, 5, 0, 0)))
                .forEachKey(Names.WHOLE_KEY);
        return new Composition(
                new Mutants.Table(perKey, 2, eviction),
                new Mutants.Table(perKey, 1_000, eviction),
                List.of(part),
                true,
                Motion.NONE);
    }

    @Test
    void aRequestUndoneInPartIsNotWithoutCost() {
        isRight(always(both(false)));
        isCaught(always(both(true)), "");
    }

    private static Composition both(boolean keepsOne) {
        StrategySpec bucket = TokenBucket.of(5, Duration.ofNanos(PERIOD)).withCapacity(3);
        StrategySpec pacer = Pacer.of(5, Duration.ofNanos(PERIOD)).withLargest(3);
        return new Composition(
                new Mutants.Both(bucket, pacer, keepsOne),
                new Mutants.Both(bucket, pacer, keepsOne),
                List.of(
                        Part.alone(bucket, 5, rate(now -> new Figures(now, PERIOD, 3, 0, 0))),
                        new Part(pacer, null, 0, false, 5, rate(now -> Leaves.paced(PERIOD / 5, 3)), List.of(pacer))),
                true,
                Motion.NONE);
    }

    @Test
    void whatIsSettledGoesBackOnce() {
        isRight(always(costs(false)));
        isCaught(always(costs(true)), "permits");
    }

    private static Composition costs(boolean refundsTwice) {
        StrategySpec bucket = TokenBucket.of(5, Duration.ofNanos(PERIOD));
        Rate law = Rate.of(now -> new Figures(now, PERIOD, 5, 0, 0));
        return alone(new Mutants.Costs(bucket, refundsTwice), 5, law.byCost());
    }

    private static Composition.Source always(Composition composition) {
        return (random, count) -> List.of(composition);
    }

    private static Law rate(LongFunction<Figures> by) {
        return Rate.of(by);
    }

    private static Composition alone(StrategySpec spec, long limit, Law law) {
        return new Composition(spec, spec, List.of(Part.alone(spec, limit, law)), true, Motion.NONE);
    }
}
