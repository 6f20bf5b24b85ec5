package dev.weir.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.Specs.Bound;
import dev.weir.store.rates.Ban;
import dev.weir.store.state.Operation;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Stress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the arithmetic of a store answers for each rate, if the test sets the time of the store: all answers are compared with slow exact
 * models. For a store whose time cannot be set there is {@link StoreLimitContract}.
 */
@Tag("contract")
public abstract class RateContract {
    /** The first instant of most histories, in microseconds. */
    protected static final long START = 1_767_225_600_000_000L;

    private static final CpuBudget BUDGET = Stress.seconds(0.6, 12, 120);
    private static final int HISTORIES = 2;

    private int keys;

    /** For a test of a store. */
    protected RateContract() {}

    /**
     * Makes the store do an operation and returns its answer.
     *
     * @param grantedAt of a refund, microseconds
     * @param micros the time of the store, which may go back
     */
    protected abstract Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros);

    private String newKey() {
        return "key" + keys++;
    }

    private Decision run(StrategySpec spec, Operation operation, long permits, String key, long micros) {
        return Decision.of(step(spec, operation, permits, 0, key, micros));
    }

    private Decision acquire(StrategySpec spec, long permits, String key, long micros) {
        return run(spec, Operation.ACQUIRE, permits, key, micros);
    }

    @Test
    @Tag("proof")
    protected final void D1_D2_eachAnswerIsThatOfAnExactModel() {
        BUDGET.repeat(HISTORIES, seed -> Specs.all().forEach(spec -> compare(spec, seed)));
    }

    /** The first histories are short, and each is longer than the one before. */
    private static int steps(int round) {
        return Math.min(400, 60 + 10 * round);
    }

    private void compare(StrategySpec spec, int seed) {
        Random random = new Random(seed);
        Model model = Model.of(spec);
        String key = newKey();
        long now = START + random.nextInt(10_000_000);
        long largest = model.largest();
        for (int step = 0; step < steps(seed); step++) {
            boolean back = random.nextInt(15) == 0;
            now += back ? -random.nextLong(3 * Specs.period(spec)) : pause(random, Specs.period(spec));
            int kind = random.nextInt(12);
            Operation operation = kind < 7 ? Operation.ACQUIRE : kind < 10 ? Operation.ACQUIRE_UP_TO : Operation.CHARGE;
            long permits = 1 + random.nextLong(random.nextBoolean() ? largest : Math.min(3, largest));
            if (operation == Operation.CHARGE && random.nextBoolean()) {
                permits = -permits;
            } else if (!back && random.nextInt(20) == 0) {
                permits = largest + 1;
            }
            Decision answer = run(spec, operation, permits, key, now);
            String what = spec + " seed " + seed + " step " + step + ": " + operation + " " + permits + " at " + now;
            assertEquals(model.answer(operation.ordinal(), permits, now), answer, what);
        }
    }

    /** None, short, about the time of a permit, about a period, exactly a period, or long. */
    private static long pause(Random random, long period) {
        return switch (random.nextInt(9)) {
            case 0, 1 -> 0;
            case 2 -> random.nextInt(3);
            case 3, 4, 5 -> random.nextLong(Math.max(1, period / 5));
            case 6 -> random.nextLong(period);
            case 7 -> period - 1 + random.nextInt(3);
            default -> random.nextInt(5) == 0 ? random.nextLong(4 * period) : 0;
        };
    }

    @Test
    @Tag("proof")
    protected final void R1_noWindowOfTheStoresTimeHasMoreThanTheBound() {
        BUDGET.repeat(HISTORIES, seed -> {
            for (StrategySpec spec : Specs.single()) {
                Random random = new Random(seed);
                Grants grants = new Grants();
                String key = newKey();
                long now = START;
                for (int step = 0; step < steps(seed); step++) {
                    now += pause(random, Specs.period(spec));
                    Operation operation = random.nextBoolean() ? Operation.ACQUIRE : Operation.ACQUIRE_UP_TO;
                    grants.add(now, run(spec, operation, 1 + random.nextInt(4), key, now));
                }
                grants.check(Specs.bound(spec), spec + " seed " + seed);
                if (spec instanceof SlidingWindow window) {
                    grants.checkWindow(window.limit(), window.period(), spec + " seed " + seed);
                } else if (spec instanceof SlidingLog log) {
                    grants.checkWindow(log.limit(), log.period(), spec + " seed " + seed);
                }
            }
        });
    }

    @Test
    @Tag("proof")
    protected final void R4_aClockThatGoesBackAndForthEarnsNothing() {
        BUDGET.repeat(1, round -> {
            for (StrategySpec spec : Specs.single()) {
                Random random = new Random(7 + round);
                String key = newKey();
                long now = START + Duration.ofDays(1).toNanos() / 1_000;
                long forward = 0;
                long granted = 0;
                for (int step = 0; step < steps(round); step++) {
                    long moved =
                            step % 2 == 0 ? pause(random, Specs.period(spec)) / 4 : -pause(random, Specs.period(spec));
                    now += moved;
                    forward += Math.max(0, moved);
                    granted += run(spec, Operation.ACQUIRE_UP_TO, 3, key, now).granted();
                }
                assertTrue(granted <= Specs.bound(spec).within(forward), spec + " granted " + granted);
            }
        });
    }

    @Test
    @Tag("proof")
    protected final void aRetryIsGrantedExactlyWhenToldAndNotOneMicrosecondEarlier() {
        BUDGET.repeat(1, round -> Specs.all().forEach(spec -> retry(spec, round)));
    }

    private void retry(StrategySpec spec, int round) {
        Random random = new Random(3 + round);
        String key = newKey();
        long largest = Model.of(spec).largest();
        long now = START;
        for (int step = 0; step < steps(round); step++) {
            now += pause(random, Specs.period(spec)) / 8;
            long most = spec instanceof Ban ? 1 : random.nextBoolean() ? largest : largest / 3 + 1;
            long permits = 1 + random.nextLong(most);
            Decision answer = acquire(spec, permits, key, now);
            assertTrue(answer.retry() >= 0, spec + " " + answer);
            if (answer.granted() == 0) {
                assertTrue(answer.retry() > 0, spec + " " + answer);
                Decision early = acquire(spec, permits, key, now + answer.retry() - 1);
                assertEquals(0, early.granted(), spec + " " + answer);
                assertEquals(1, early.retry(), spec + " " + answer);
                now += answer.retry();
                assertEquals(permits, acquire(spec, permits, key, now).granted(), spec + " " + answer);
            }
        }
    }

    @Test
    protected final void aLimitIsUnusedAfterItsReset() {
        for (StrategySpec spec : Specs.all()) {
            String key = newKey();
            long fresh = Model.of(spec).room();
            run(spec, Operation.ACQUIRE_UP_TO, fresh, key, START);
            long reset = acquire(spec, 1, key, START + 1).reset();
            Decision after = acquire(spec, 0, key, START + 1 + reset);
            assertEquals(fresh, after.remaining(), spec.toString());
            assertEquals(0, after.reset(), spec.toString());
        }
    }

    @Test
    @Tag("proof")
    protected final void W5_W6_specificationsThatAlternateGrantNoMoreThanTheLargest() {
        List<StrategySpec> specs = Specs.single();
        BUDGET.repeat(HISTORIES * 40, seed -> {
            Random random = new Random(seed);
            List<StrategySpec> some = new ArrayList<>();
            for (int i = 0; i < 2 + seed % 2; i++) {
                some.add(specs.get(random.nextInt(specs.size())));
            }
            alternate(some, random, steps(seed / 40), "seed " + seed);
        });
    }

    private void alternate(List<StrategySpec> specs, Random random, int steps, String what) {
        Grants grants = new Grants();
        String key = newKey();
        long now = START;
        long period = Specs.period(specs.get(0));
        for (int step = 0; step < steps; step++) {
            now += pause(random, period) / 3;
            StrategySpec spec = specs.get(random.nextInt(specs.size()));
            grants.add(now, run(spec, Operation.ACQUIRE_UP_TO, 1 + random.nextInt(40), key, now));
        }
        List<Bound> bounds = specs.stream().map(Specs::bound).toList();
        grants.checkLargest(bounds, what + " " + specs);
    }

    @Test
    protected final void W6_eachPairKeepsWhatWasUsedAndLocksNobodyOut() {
        for (StrategySpec before : Specs.all()) {
            for (StrategySpec after : Specs.all()) {
                String key = newKey();
                long used = run(before, Operation.ACQUIRE_UP_TO, 1_000_000, key, START)
                        .granted();
                String what = before + " -> " + after + " with " + used;
                Decision changed = acquire(after, 0, key, START);
                long fresh = Model.of(after).room();
                assertTrue(changed.remaining() <= Math.max(0, fresh - used) || Specs.isPaced(after), what + changed);
                Decision one = acquire(after, 1, key, START);
                if (one.granted() == 0 && !(after instanceof Ban)) {
                    assertTrue(one.retry() <= Specs.interval(after), what + " " + one);
                    assertEquals(1, acquire(after, 1, key, START + one.retry()).granted(), what + " " + one);
                }
            }
        }
    }

    @Test
    protected final void permitsOfAnySizeAreAnswered() {
        for (StrategySpec spec : Specs.all()) {
            String key = newKey();
            long fresh = Model.of(spec).room();
            Decision never = acquire(spec, Long.MAX_VALUE, key, START);
            assertEquals(-1, never.retry(), spec.toString());
            assertEquals(0, never.granted());
            assertEquals(fresh, acquire(spec, 0, key, START).remaining());
            Decision charged = run(spec, Operation.CHARGE, Long.MAX_VALUE, key, START);
            assertEquals(0, charged.remaining(), spec.toString());
            assertTrue(charged.retry() > 0, spec + " " + charged);
            run(spec, Operation.CHARGE, Long.MAX_VALUE, key, START + 1);
            assertEquals(0, acquire(spec, 1, key, START + 1).granted(), spec.toString());
            run(spec, Operation.CHARGE, Long.MIN_VALUE, key, START + 1);
            if (!(spec instanceof Ban)) {
                assertEquals(fresh, acquire(spec, 0, key, START + 1).remaining(), spec.toString());
            }
        }
    }

    @Test
    protected final void aLogCountsAlsoWhatIsChargedBeyondIt() {
        StrategySpec log = SlidingLog.of(10, Duration.ofSeconds(1));
        String key = newKey();
        for (int charge = 1; charge <= 200; charge++) {
            Decision answer = run(log, Operation.CHARGE, 1, key, START + charge);
            assertEquals(Math.max(0, 10 - charge), answer.remaining());
        }
        assertEquals(0, acquire(log, 1, key, START + 1_000_100).granted());
        assertEquals(10, acquire(log, 10, key, START + 1_000_200).granted());
    }

    @Test
    protected final void theTighterOfSeveralRatesIsTold() {
        StrategySpec both = AllOf.of(
                TokenBucket.of(10, Duration.ofSeconds(1)),
                TokenBucket.of(1_000, Duration.ofHours(1)).withCapacity(12));
        String key = newKey();
        assertEquals(new Decision(10, 0, 10, 1_000_000, 0), acquire(both, 10, key, START));
        assertEquals(new Decision(0, 0, 10, 1_000_000, 100_000), acquire(both, 1, key, START));
        assertEquals(new Decision(0, 2, 1_000, 35_000_000, 2_600_000), acquire(both, 3, key, START + 1_000_000));
        assertEquals(new Decision(2, 0, 1_000, 42_200_000, 0), acquire(both, 2, key, START + 1_000_000));
        assertEquals(-1, acquire(both, 11, key, START + 1_000_000).retry());
    }

    @Test
    protected final void aKeyThatTriesTooOftenIsBannedAndIsFreeAgain() {
        StrategySpec login = new Ban(LeakyBucket.of(1, Duration.ofMinutes(1)).withBurst(4), Duration.ofMinutes(10));
        String key = newKey();
        for (int attempt = 0; attempt < 5; attempt++) {
            assertEquals(1, acquire(login, 1, key, START).granted());
        }
        assertEquals(new Decision(0, 0, 1, 600_000_000, 600_000_000), acquire(login, 1, key, START));
        assertEquals(new Decision(0, 0, 1, 1, 1), acquire(login, 1, key, START + 599_999_999));
        assertEquals(new Decision(1, 4, 1, 60_000_000, 0), acquire(login, 1, key, START + 600_000_000));
    }
}
