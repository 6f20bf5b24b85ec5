package dev.weir.redis.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Pacer;
import dev.weir.spi.StrategySpec;
import dev.weir.store.contract.Decision;
import dev.weir.store.contract.Model;
import dev.weir.store.contract.OverdrawnModel;
import dev.weir.store.contract.Specs;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Stress;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the scripts do for limits by cost on any server: the answers are compared with slow exact models, in virtual time. */
@Tag("contract")
public abstract class SettlingContract {
    private static final long START = ScriptContract.START;
    private static final CpuBudget BUDGET = Stress.seconds(0.4, 6, 60);
    private static final int STEPS = 120;
    private static final int IN_FLIGHT = 4;

    /** More than any of the limits. */
    private static final int OWED = 2_000;

    private final List<byte[]> keys = new ArrayList<>();
    private ScriptBench bench;

    /** A connection to the server, which stays open. */
    protected abstract RedisClusterCommands<byte[], byte[]> commands();

    /** The call of the script that counts this rate by cost. */
    protected abstract ScriptCall call(StrategySpec rate, int operation, long permits);

    /** The call that refunds permits which were granted at this time of the server. */
    protected abstract ScriptCall refund(StrategySpec rate, long permits, long grantedAt);

    @BeforeEach
    protected final void prepare() {
        bench = new ScriptBench(commands());
    }

    @AfterEach
    void removeKeys() {
        keys.forEach(key -> commands().del(key));
    }

    private byte[] newKey() {
        byte[] key = ("{" + UUID.randomUUID() + "}").getBytes(StandardCharsets.US_ASCII);
        keys.add(key);
        return key;
    }

    private static List<StrategySpec> rates() {
        return Stream.concat(Specs.even().stream(), Specs.windows().stream())
                .filter(rate -> !(rate instanceof Pacer))
                .toList();
    }

    private static boolean isEven(StrategySpec rate) {
        return Specs.even().contains(rate);
    }

    private Decision run(StrategySpec rate, int operation, long permits, byte[] key, long micros) {
        return bench.run(call(rate, operation, permits), key, micros);
    }

    @Test
    @Tag("proof")
    protected final void eachAnswerIsThatOfAnExactModel() {
        BUDGET.repeat(1, seed -> rates().forEach(rate -> compare(rate, seed)));
    }

    private void compare(StrategySpec rate, int seed) {
        Random random = new Random(seed);
        OverdrawnModel model = new OverdrawnModel(rate);
        byte[] key = newKey();
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
            assertEquals(
                    model.answer(operation, permits, held, now),
                    bench.run(
                            permits < 0 ? refund(rate, -permits, now - held) : call(rate, operation, permits),
                            key,
                            now),
                    what);
            assertTrue(commands().pttl(key) != -1, what + " left a key for ever");
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
        byte[] key = newKey();
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
            if (run(rate, Decision.ACQUIRE, estimate, key, now).granted() > 0) {
                Held call = new Held(estimate, random.nextInt(3) == 0 ? 0 : random.nextLong(4 * estimate), now);
                held.add(call);
                spent += call.cost;
                long allowed = Specs.bound(rate).within(now - START) + IN_FLIGHT * 3 * most;
                long all = spent;
                assertTrue(spent <= allowed, () -> rate + " seed " + seed + " spent " + all + " of " + allowed);
            }
        }
    }

    private void settle(StrategySpec rate, Held call, byte[] key, long now) {
        long more = call.cost - call.estimate;
        long since = now - call.since;
        Specs.Bound bound = Specs.bound(rate);
        long refilled = isEven(rate) ? bound.within(since) - bound.burst() : 0;
        if (more > 0) {
            run(rate, isEven(rate) ? Decision.CHARGE : Decision.OVERDRAW, more, key, now);
        } else if (more + refilled < 0) {
            bench.run(refund(rate, -more - refilled, call.since), key, now);
        }
    }

    @Test
    protected final void whatIsOwedIsPaidAtTheRateAndNobodyIsRefusedForLonger() {
        for (StrategySpec rate : rates()) {
            byte[] key = newKey();
            int charge = isEven(rate) ? Decision.CHARGE : Decision.OVERDRAW;
            long largest = Model.of(rate).largest();
            long owed = 3 * largest;
            run(rate, charge, largest + owed, key, START);
            Specs.Bound bound = Specs.bound(rate);
            // Whole permits, and what a window counts of itself meanwhile.
            long paid = (owed + 1) * bound.period() / 1_000 / bound.permits() + Specs.interval(rate) + 2;
            long early = (owed - 1) * bound.period() / 1_000 / bound.permits();
            assertEquals(0, run(rate, Decision.ACQUIRE, 1, key, START + early).granted(), rate + " is not paid");
            assertEquals(1, run(rate, Decision.ACQUIRE, 1, key, START + paid).granted(), rate + " is paid");
        }
    }

    @Test
    protected final void aChangeOfTheRateKeepsWhatIsOwedAndItRefusesNoLongerThanThatIsPaid() {
        for (StrategySpec before : rates()) {
            for (StrategySpec after : rates()) {
                byte[] key = newKey();
                long largest = Model.of(before).largest();
                int charge = isEven(before) ? Decision.CHARGE : Decision.OVERDRAW;
                run(before, charge, largest + OWED, key, START);
                Specs.Bound bound = Specs.bound(after);
                long owed = largest + OWED - Math.max(largest, Model.of(after).largest());
                String what = before + " -> " + after;
                Decision first = run(after, Decision.ACQUIRE, 1, key, START);
                assertEquals(0, first.granted(), what);
                long paid = (owed + 1) * bound.period() / 1_000 / bound.permits();
                assertTrue(first.retry() <= paid + Specs.interval(after), what + " " + first);
                assertTrue(first.retry() >= (owed - 1) * bound.period() / 1_000 / bound.permits(), what + " " + first);
                long at = START + first.retry();
                assertEquals(0, run(after, Decision.ACQUIRE, 1, key, at - 1).granted(), what + first);
                assertEquals(1, run(after, Decision.ACQUIRE, 1, key, at).granted(), what + first);
            }
        }
    }

    @Test
    protected final void whatIsLargerThanTheLimitIsGrantedIfNothingIsUsedAndIsOwed() {
        for (StrategySpec rate : rates()) {
            byte[] key = newKey();
            long large = 5 * Model.of(rate).largest();
            assertEquals(-1, run(rate, Decision.ACQUIRE, large, key, START).retry());
            assertEquals(1, run(rate, Decision.ACQUIRE_ONCE, 1, key, START).granted());
            Decision used = run(rate, Decision.ACQUIRE_ONCE, large, key, START);
            assertEquals(0, used.granted(), rate.toString());
            assertTrue(used.retry() > 0 && used.retry() == used.reset(), rate + " " + used);
            long free = START + used.retry();
            assertEquals(
                    0, run(rate, Decision.ACQUIRE_ONCE, large, key, free - 1).granted());
            assertEquals(
                    large, run(rate, Decision.ACQUIRE_ONCE, large, key, free).granted(), rate.toString());
            Decision owing = run(rate, Decision.ACQUIRE, 1, key, free);
            Specs.Bound bound = Specs.bound(rate);
            long paid = (large - large / 5 - 1) * bound.period() / 1_000 / bound.permits();
            assertTrue(owing.retry() >= paid, rate + " " + owing);
            assertEquals(0, owing.granted());
        }
    }

    @Test
    protected final void D3_aKeyLivesForAsLongAsSomethingIsOwed() {
        for (StrategySpec rate : rates()) {
            byte[] key = newKey();
            long permits = 4 * Model.of(rate).largest();
            int charge = isEven(rate) ? Decision.CHARGE : Decision.OVERDRAW;
            Decision owing = bench.run(call(rate, charge, permits), key);
            long left = commands().pttl(key);
            long reset = owing.reset() / 1_000;
            assertTrue(left <= 2 * reset + 1_000, rate + " lives " + left + " ms, " + owing);
            assertTrue(left >= reset - 2_000 || left == -2 && reset < 2_000, rate + " lives " + left + " " + owing);
        }
    }
}
