package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Settled;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.state.Operation;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Stress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the arithmetic of a store answers for limits by cost, if the test sets the time of the store: the answers are compared with slow
 * exact models.
 */
@Tag("contract")
public abstract class SettledRateContract {
    private static final long START = RateContract.START;
    private static final CpuBudget BUDGET = Stress.seconds(0.4, 6, 60);
    private static final int STEPS = 120;
    private static final int IN_FLIGHT = 4;

    /** More than any of the limits. */
    private static final int OWED = 2_000;

    private int keys;

    /** For a test of a store. */
    protected SettledRateContract() {}

    /** See {@link RateContract#step}. */
    protected abstract Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros);

    private String newKey() {
        return "key" + keys++;
    }

    private static List<StrategySpec> rates() {
        return Stream.concat(Specs.even().stream(), Specs.windows().stream())
                .filter(rate -> !(rate instanceof Pacer))
                .toList();
    }

    private static boolean isEven(StrategySpec rate) {
        return Specs.even().contains(rate);
    }

    private Decision run(StrategySpec rate, Operation operation, long permits, String key, long micros) {
        return Decision.of(step(Settled.of(rate), operation, permits, 0, key, micros));
    }

    private Decision once(StrategySpec rate, long permits, String key, long micros) {
        return Decision.of(step(Settled.of(rate).once(), Operation.ACQUIRE, permits, 0, key, micros));
    }

    private Decision refund(StrategySpec rate, long permits, long grantedAt, String key, long micros) {
        return Decision.of(step(Settled.of(rate), Operation.REFUND, permits, grantedAt, key, micros));
    }

    @Test
    @Tag("proof")
    protected final void eachAnswerIsThatOfAnExactModel() {
        BUDGET.repeat(1, seed -> rates().forEach(rate -> compare(rate, seed)));
    }

    private void compare(StrategySpec rate, int seed) {
        Random random = new Random(seed);
        OverdrawnModel model = new OverdrawnModel(rate);
        String key = newKey();
        long now = START + random.nextInt(10_000_000);
        int charge = isEven(rate) ? Decision.CHARGE : Decision.OVERDRAW;
        for (int step = 0; step < STEPS; step++) {
            now += pause(random, Specs.period(rate));
            int operation = switch (random.nextInt(8)) {
                case 0, 1, 2 -> Decision.ACQUIRE;
                case 3 -> Decision.ACQUIRE_UP_TO;
                case 4 -> Decision.ACQUIRE_ONCE;
                default -> charge;
            };
            long permits = 1 + random.nextLong(2 * model.largest());
            long held = 0;
            if (operation == charge && random.nextBoolean()) {
                permits = -permits;
                held = isEven(rate) ? 0 : random.nextLong(2 * Specs.period(rate));
            }
            String what = rate + " seed " + seed + " step " + step + ": " + operation + " " + permits + " held " + held
                    + " at " + now;
            Decision answer = permits < 0
                    ? refund(rate, -permits, now - held, key, now)
                    : operation == Decision.ACQUIRE_ONCE
                            ? once(rate, permits, key, now)
                            : run(
                                    rate,
                                    operation == charge ? Operation.CHARGE : Operation.values()[operation],
                                    permits,
                                    key,
                                    now);
            assertEquals(model.answer(operation, permits, held, now), answer, what);
        }
    }

    private static long pause(Random random, long period) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> 0;
            case 2, 3 -> random.nextLong(Math.max(1, period / 5));
            case 4 -> random.nextLong(period);
            default -> random.nextInt(4) == 0 ? random.nextLong(6 * period) : 0;
        };
    }

    /** A call that was granted: its estimate, what it costs, and when it was granted. */
    private record Held(long estimate, long cost, long since) {}

    @Test
    @Tag("proof")
    protected final void R1_whatWasReallySpentIsWithinTheBoundAndWhatTheCallsInFlightOverran() {
        BUDGET.repeat(1, seed -> rates().forEach(rate -> spend(rate, seed)));
    }

    /* Costs are up to four times their estimate, and nothing at times: each is settled later. */
    private void spend(StrategySpec rate, int seed) {
        Random random = new Random(seed);
        String key = newKey();
        Deque<Held> held = new ArrayDeque<>();
        long most = Math.max(1, Model.of(rate).largest() / 6);
        long now = START;
        long spent = 0;
        for (int step = 0; step < 2 * STEPS; step++) {
            now += random.nextLong(Math.max(1, Specs.period(rate) / 8));
            if (held.size() == IN_FLIGHT || (!held.isEmpty() && random.nextInt(3) == 0)) {
                settle(rate, held.remove(), key, now);
            }
            long estimate = 1 + random.nextLong(most);
            if (run(rate, Operation.ACQUIRE, estimate, key, now).granted() > 0) {
                Held call = new Held(estimate, random.nextInt(3) == 0 ? 0 : random.nextLong(4 * estimate), now);
                held.add(call);
                spent += call.cost;
                long allowed = Specs.bound(rate).within(now - START) + IN_FLIGHT * 3 * most;
                long all = spent;
                assertTrue(spent <= allowed, () -> rate + " seed " + seed + " spent " + all + " of " + allowed);
            }
        }
    }

    private void settle(StrategySpec rate, Held call, String key, long now) {
        long more = call.cost - call.estimate;
        long since = now - call.since;
        Specs.Bound bound = Specs.bound(rate);
        long refilled = isEven(rate) ? bound.within(since) - bound.burst() : 0;
        if (more > 0) {
            run(rate, Operation.CHARGE, more, key, now);
        } else if (more + refilled < 0) {
            refund(rate, -more - refilled, call.since, key, now);
        }
    }

    @Test
    protected final void whatIsOwedIsPaidAtTheRateAndNobodyIsRefusedForLonger() {
        for (StrategySpec rate : rates()) {
            String key = newKey();
            long largest = Model.of(rate).largest();
            long owed = 3 * largest;
            run(rate, Operation.CHARGE, largest + owed, key, START);
            Specs.Bound bound = Specs.bound(rate);
            // Whole permits, and what a window counts of itself meanwhile.
            long paid = (owed + 1) * bound.period() / 1_000 / bound.permits() + Specs.interval(rate) + 2;
            long early = (owed - 1) * bound.period() / 1_000 / bound.permits();
            assertEquals(0, run(rate, Operation.ACQUIRE, 1, key, START + early).granted(), rate + " is not paid");
            assertEquals(1, run(rate, Operation.ACQUIRE, 1, key, START + paid).granted(), rate + " is paid");
        }
    }

    @Test
    protected final void aChangeOfTheRateKeepsWhatIsOwedAndItRefusesNoLongerThanThatIsPaid() {
        for (StrategySpec before : rates()) {
            for (StrategySpec after : rates()) {
                String key = newKey();
                long largest = Model.of(before).largest();
                run(before, Operation.CHARGE, largest + OWED, key, START);
                Specs.Bound bound = Specs.bound(after);
                long owed = largest + OWED - Math.max(largest, Model.of(after).largest());
                String what = before + " -> " + after;
                Decision first = run(after, Operation.ACQUIRE, 1, key, START);
                assertEquals(0, first.granted(), what);
                long paid = (owed + 1) * bound.period() / 1_000 / bound.permits();
                assertTrue(first.retry() <= paid + Specs.interval(after), what + " " + first);
                assertTrue(first.retry() >= (owed - 1) * bound.period() / 1_000 / bound.permits(), what + " " + first);
                long at = START + first.retry();
                assertEquals(0, run(after, Operation.ACQUIRE, 1, key, at - 1).granted(), what + first);
                assertEquals(1, run(after, Operation.ACQUIRE, 1, key, at).granted(), what + first);
            }
        }
    }

    @Test
    protected final void whatIsLargerThanTheLimitIsGrantedIfNothingIsUsedAndIsOwed() {
        for (StrategySpec rate : rates()) {
            String key = newKey();
            long large = 5 * Model.of(rate).largest();
            assertEquals(-1, run(rate, Operation.ACQUIRE, large, key, START).retry());
            assertEquals(1, once(rate, 1, key, START).granted());
            Decision used = once(rate, large, key, START);
            assertEquals(0, used.granted(), rate.toString());
            assertTrue(used.retry() > 0 && used.retry() == used.reset(), rate + " " + used);
            long free = START + used.retry();
            assertEquals(0, once(rate, large, key, free - 1).granted());
            assertEquals(large, once(rate, large, key, free).granted(), rate.toString());
            Decision owing = run(rate, Operation.ACQUIRE, 1, key, free);
            Specs.Bound bound = Specs.bound(rate);
            long paid = (large - large / 5 - 1) * bound.period() / 1_000 / bound.permits();
            assertTrue(owing.retry() >= paid, rate + " " + owing);
            assertEquals(0, owing.granted());
        }
    }
}
