package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.SettledHistory.Mode;
import dev.weir.algorithms.SettledHistory.Step;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All orders of a few steps in small worlds, and long random ones, of a limiter by cost. Whenever something is granted, in no window
 * that ends then
 *
 * <pre>{@code really spent <= B + a + integral of r}</pre>
 *
 * where really spent is each grant less what went back of it, and what was charged after the fact at the instant when it was. So
 * at any time it exceeds that by at most what was charged since the last grant. B is the largest burst, a the most that is
 * forgotten at a boundary, r the rate in force, all by the specifications. What was below zero when a key was evicted, or when a
 * limit by cost ended, counts into B until it is paid. And a request for n is granted no later than (d + n) / r after the last
 * grant or charge, with a debt of d beyond the burst, and the boundaries of the algorithm.
 */
@Tag("proof")
@Tag("property")
class SettledModelTest {
    static final int DEPTH = Stress.of(4, 5, 6);
    private static final int STEPS = 60;
    private static final CpuBudget BUDGET = Stress.seconds(0.5, 10, 100);

    static List<Mode> rates() {
        return SettledModes.rates();
    }

    private static Set<Step> without(Step... steps) {
        Set<Step> some = EnumSet.allOf(Step.class);
        some.removeAll(Arrays.asList(steps));
        return some;
    }

    private static void all(List<Mode> modes, Set<Step> alphabet, int depth) {
        Step[] steps = alphabet.toArray(Step[]::new);
        SettledModes.forAllOrders(steps.length, depth, order -> {
            List<Step> taken =
                    IntStream.of(order).mapToObj(which -> steps[which]).toList();
            int any = Arrays.hashCode(order) & 7;
            new SettledHistory(modes, any).take(taken, 1 + any % 2);
        });
    }

    private static void random(List<Mode> modes, Set<Step> alphabet, SplittableRandom random) {
        Step[] all = alphabet.toArray(Step[]::new);
        long origin = random.nextInt(20);
        int cost = 1 + random.nextInt(2);
        List<Step> steps = new ArrayList<>();
        for (int i = random.nextInt(STEPS); i >= 0; i--) {
            steps.add(Seed.oneOf(random, all));
        }
        new SettledHistory(modes, origin).take(steps, cost);
    }

    private static Mode any(SplittableRandom random) {
        return Seed.oneOf(random, rates().toArray(Mode[]::new));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void W5_allOrdersOfStepsOfOneRate(Mode mode) {
        all(List.of(mode), without(Step.CHANGE, Step.EVICT), DEPTH);
        all(List.of(mode.once()), without(Step.CHANGE, Step.EVICT), DEPTH - 1);
        all(List.of(SettledModes.keyed(mode)), without(Step.CHANGE), DEPTH - 1);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void W5_allOrdersOfStepsOfTwoRates(Mode mode) {
        for (Mode next : rates()) {
            all(List.of(mode, next), without(Step.EVICT), DEPTH - 1);
            all(List.of(mode, SettledModes.plain(next)), without(Step.EVICT), DEPTH - 2);
        }
    }

    @Test
    void W5_longHistoriesOfOneRate() {
        BUDGET.forAll(
                2_000,
                random -> random(
                        List.of(random.nextBoolean() ? any(random) : any(random).once()),
                        without(Step.CHANGE, Step.EVICT),
                        random));
    }

    @Test
    void W5_longHistoriesOfRatesAndOthers() {
        BUDGET.forAll(
                2_000,
                random -> random(
                        List.of(
                                any(random),
                                SettledModes.beside(any(random)),
                                SettledModes.holding(any(random)),
                                any(random).once(),
                                SettledModes.plain(any(random))),
                        without(Step.EVICT),
                        random));
    }

    @Test
    void W5_longHistoriesOfKeysThatAreEvicted() {
        BUDGET.forAll(
                300,
                random -> random(
                        List.of(
                                SettledModes.keyed(any(random)),
                                SettledModes.keyed(SettledModes.holding(any(random))),
                                SettledModes.keyed(any(random).once()),
                                SettledModes.keyed(SettledModes.plain(any(random)))),
                        without(),
                        random));
    }

    /* What it does while it is cold is not known by its specification; but it is no more, and it warms up. */
    @Test
    void W5_aRateThatWarmsUp() {
        BUDGET.forAll(500, random -> {
            random(List.of(SettledModes.rising(any(random)), any(random)), without(Step.EVICT), random);
        });
    }

    private static void mistaken(SettledMistake.Kind kind) {
        for (Mode mode : rates()) {
            Mode wrong = mode.around(spec -> new SettledMistake(((Settled) spec).rate(), kind));
            all(List.of(wrong), without(Step.CHANGE, Step.EVICT, Step.TICK), 4);
        }
    }

    @Test
    void aRateWithoutMistakeIsRight() {
        mistaken(SettledMistake.Kind.NONE);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachMistakeIsCaught(SettledMistake.Kind kind) {
        AssertionError caught = assertThrows(AssertionError.class, () -> mistaken(kind));
        boolean refuses = kind == SettledMistake.Kind.KEEPS_ALL || kind == SettledMistake.Kind.CHARGES_TWICE;
        String symptom = refuses ? ", latest " : ", at most ";
        assertTrue(String.valueOf(caught.getMessage()).contains(symptom), caught::getMessage);
    }
}
