package dev.weir.redis.contract;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.contract.Decision;
import dev.weir.store.contract.EvenModel;
import dev.weir.store.contract.Grants;
import dev.weir.store.contract.Model;
import dev.weir.store.contract.Specs;
import dev.weir.store.contract.Specs.Bound;
import dev.weir.store.rates.Ban;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Stress;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the scripts of all rates do on any server: the answers are compared with slow exact models, in virtual time. */
@Tag("contract")
public abstract class ScriptContract {
    static final long START = 1_767_225_600_000_000L;

    private static final CpuBudget BUDGET = Stress.seconds(0.6, 12, 120);
    private static final int HISTORIES = 2;
    private static final int KEYS = 50;

    private final List<byte[]> keys = new ArrayList<>();
    private ScriptBench bench;

    /** A connection to the server, which stays open. */
    protected abstract RedisClusterCommands<byte[], byte[]> commands();

    /** The call of the script that counts this specification. */
    protected abstract ScriptCall call(StrategySpec spec, int operation, long permits, long since);

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

    private Decision run(StrategySpec spec, int operation, long permits, byte[] key, long micros) {
        return bench.run(call(spec, operation, permits, 0), key, micros);
    }

    private Decision acquire(StrategySpec spec, long permits, byte[] key, long micros) {
        return run(spec, Decision.ACQUIRE, permits, key, micros);
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
        byte[] key = newKey();
        long now = START + random.nextInt(10_000_000);
        long largest = model.largest();
        for (int step = 0; step < steps(seed); step++) {
            boolean back = random.nextInt(15) == 0;
            now += back ? -random.nextLong(3 * Specs.period(spec)) : pause(random, Specs.period(spec));
            int kind = random.nextInt(12);
            int operation = kind < 7 ? Decision.ACQUIRE : kind < 10 ? Decision.ACQUIRE_UP_TO : Decision.CHARGE;
            long permits = 1 + random.nextLong(random.nextBoolean() ? largest : Math.min(3, largest));
            if (operation == Decision.CHARGE && random.nextBoolean()) {
                permits = -permits;
            } else if (!back && random.nextInt(20) == 0) {
                permits = largest + 1;
            }
            Decision answer = run(spec, operation, permits, key, now);
            String what = spec + " seed " + seed + " step " + step + ": " + operation + " " + permits + " at " + now;
            assertEquals(model.answer(operation, permits, now), answer, what);
            assertTrue(commands().pttl(key) != -1, what + " left a key for ever");
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
    protected final void R1_noWindowOfTheServersTimeHasMoreThanTheBound() {
        BUDGET.repeat(HISTORIES, seed -> {
            for (StrategySpec spec : Specs.single()) {
                Random random = new Random(seed);
                Grants grants = new Grants();
                byte[] key = newKey();
                long now = START;
                for (int step = 0; step < steps(seed); step++) {
                    now += pause(random, Specs.period(spec));
                    grants.add(now, run(spec, random.nextInt(2), 1 + random.nextInt(4), key, now));
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
                byte[] key = newKey();
                long now = START + Duration.ofDays(1).toNanos() / 1_000;
                long forward = 0;
                long granted = 0;
                for (int step = 0; step < steps(round); step++) {
                    long moved =
                            step % 2 == 0 ? pause(random, Specs.period(spec)) / 4 : -pause(random, Specs.period(spec));
                    now += moved;
                    forward += Math.max(0, moved);
                    granted += run(spec, Decision.ACQUIRE_UP_TO, 3, key, now).granted();
                }
                assertTrue(granted <= Specs.bound(spec).within(forward), spec + " granted " + granted);
            }
        });
    }

    @Test
    @Tag("proof")
    protected final void aRetryIsGrantedExactlyWhenToldAndNotOneMicrosecondEarlier() {
        BUDGET.repeat(1, round -> {
            for (StrategySpec spec : Specs.all()) {
                Random random = new Random(3 + round);
                byte[] key = newKey();
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
                        Decision retried = acquire(spec, permits, key, now);
                        assertEquals(permits, retried.granted(), spec + " " + answer);
                    }
                }
            }
        });
    }

    @Test
    protected final void aLimitIsUnusedAfterItsReset() {
        for (StrategySpec spec : Specs.all()) {
            byte[] key = newKey();
            long fresh = Model.of(spec).room();
            run(spec, Decision.ACQUIRE_UP_TO, fresh, key, START);
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
        byte[] key = newKey();
        long now = START;
        long period = Specs.period(specs.get(0));
        for (int step = 0; step < steps; step++) {
            now += pause(random, period) / 3;
            StrategySpec spec = specs.get(random.nextInt(specs.size()));
            grants.add(now, run(spec, Decision.ACQUIRE_UP_TO, 1 + random.nextInt(40), key, now));
        }
        assertTrue(commands().pttl(key) != -1, what);
        List<Bound> bounds = specs.stream().map(Specs::bound).toList();
        grants.checkLargest(bounds, what + " " + specs);
    }

    @Test
    protected final void W6_eachPairKeepsWhatWasUsedAndLocksNobodyOut() {
        for (StrategySpec before : Specs.all()) {
            for (StrategySpec after : Specs.all()) {
                byte[] key = newKey();
                long used = run(before, Decision.ACQUIRE_UP_TO, 1_000_000, key, START)
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
            byte[] key = newKey();
            long fresh = Model.of(spec).room();
            Decision never = acquire(spec, Long.MAX_VALUE, key, START);
            assertEquals(-1, never.retry(), spec.toString());
            assertEquals(0, never.granted());
            assertEquals(fresh, acquire(spec, 0, key, START).remaining());
            assertEquals(0, commands().exists(key), spec + " wrote nothing");
            Decision charged = run(spec, Decision.CHARGE, Long.MAX_VALUE, key, START);
            assertEquals(0, charged.remaining(), spec.toString());
            assertTrue(charged.retry() > 0, spec + " " + charged);
            run(spec, Decision.CHARGE, Long.MAX_VALUE, key, START + 1);
            assertEquals(0, acquire(spec, 1, key, START + 1).granted(), spec.toString());
            run(spec, Decision.CHARGE, Long.MIN_VALUE, key, START + 1);
            if (!(spec instanceof Ban)) {
                assertEquals(fresh, acquire(spec, 0, key, START + 1).remaining(), spec.toString());
            }
        }
    }

    @Test
    protected final void D8_anEvenRateCountsAsUsedUpSinceARestart() {
        for (StrategySpec spec : Specs.even()) {
            byte[] key = newKey();
            EvenModel model = (EvenModel) Model.of(spec);
            model.drain(START);
            for (long later : new long[] {0, 1, 999, Specs.period(spec), 50 * Specs.period(spec)}) {
                model.moveTo(START + later);
                long room = model.room();
                Decision answer = bench.run(call(spec, Decision.ACQUIRE, 0, START), key, START + later);
                assertEquals(room, answer.remaining(), spec + " later " + later);
            }
        }
        for (StrategySpec spec : Specs.windows()) {
            assertEquals(
                    Model.of(spec).largest(),
                    bench.run(call(spec, Decision.ACQUIRE, 0, START), newKey(), START)
                            .remaining());
        }
    }

    @Test
    protected final void D10_anythingElseUnderTheKeyIsReplacedAndTold() {
        for (StrategySpec spec : Specs.all()) {
            for (Junk junk : Junk.values()) {
                byte[] key = newKey();
                junk.write(commands(), key);
                Model model = Model.of(spec);
                for (int step = 0; step < 3; step++) {
                    long now = START + step;
                    Decision answer = acquire(spec, 1, key, now);
                    Decision expected = model.answer(Decision.ACQUIRE, 1, now).healing(step == 0 ? 1 : 0);
                    assertEquals(expected, answer, spec + " over " + junk);
                }
                assertTrue(commands().pttl(key) > 0, spec + " over " + junk);
            }
        }
    }

    /** Of limits that count the same permits, each under its own key. */
    private long longestReset(Map<StrategySpec, byte[]> alone, long permits) {
        long longest = 0;
        for (Map.Entry<StrategySpec, byte[]> limit : alone.entrySet()) {
            ScriptCall charge = call(limit.getKey(), Decision.CHARGE, permits, 0);
            longest = Math.max(longest, bench.run(charge, limit.getValue()).reset());
        }
        return longest;
    }

    @Test
    protected final void D3_aKeyLivesAsLongAsItsLimitIsUsedAndNoLongerThanTwice() {
        for (StrategySpec spec : Specs.all()) {
            byte[] key = newKey();
            Map<StrategySpec, byte[]> alone = new LinkedHashMap<>();
            spec.parts().forEach(part -> alone.put(part, newKey()));
            // Each part is charged alone a moment later than all together, so it is full again later by as much.
            long before = serverMillis();
            for (long permits : new long[] {1, 1, 1_000_000, 1}) {
                Decision answer = bench.run(call(spec, Decision.ACQUIRE_UP_TO, permits, 0), key);
                long left = commands().pttl(key);
                long reset = (alone.size() == 1 ? answer.reset() : longestReset(alone, answer.granted())) / 1_000;
                long passed = serverMillis() - before + 1;
                assertTrue(left <= 2 * reset + 1_000, spec + " lives " + left + " ms, " + answer);
                assertTrue(
                        left + passed >= reset || left == -2 && passed >= reset,
                        spec + " lives " + left + " " + answer);
            }
        }
    }

    private long serverMillis() {
        List<byte[]> time = commands().time();
        return Long.parseLong(new String(time.get(0), StandardCharsets.US_ASCII)) * 1_000
                + Long.parseLong(new String(time.get(1), StandardCharsets.US_ASCII)) / 1_000;
    }

    @Test
    @Tag("proof")
    protected final void D3_noKeyIsLeftWhenItsLimitIsUnused() {
        BUDGET.repeat(1, round -> noKeyIsLeft());
    }

    private void noKeyIsLeft() {
        Duration period = Duration.ofMillis(20);
        List<byte[]> used = new ArrayList<>();
        for (StrategySpec spec : List.of(
                TokenBucket.of(5, period),
                new Ban(LeakyBucket.of(1, period), period),
                FixedWindow.aligned(5, period),
                SlidingWindow.of(5, period),
                SlidingLog.of(5, period))) {
            for (int i = 0; i < KEYS; i++) {
                byte[] key = newKey();
                used.add(key);
                for (int request = 0; request < 1 + i % 7; request++) {
                    bench.run(call(spec, i % 3, 1 + i % 5, 0), key);
                }
            }
        }
        await().atMost(Duration.ofMinutes(2))
                .until(() -> used.stream().noneMatch(key -> commands().exists(key) > 0));
    }

    @Test
    protected final void aRefusedRequestWritesNothing() {
        for (StrategySpec spec : Specs.all()) {
            byte[] key = newKey();
            run(spec, Decision.ACQUIRE_UP_TO, 1_000_000, key, START);
            acquire(spec, 1, key, START); // begins a ban
            byte[] before = commands().dump(key);
            for (int request = 0; request < 3; request++) {
                assertEquals(0, acquire(spec, 1, key, START).granted(), spec.toString());
                assertEquals(0, acquire(spec, Long.MAX_VALUE, key, START + 1).granted(), spec.toString());
                assertEquals(0, run(spec, Decision.ACQUIRE_UP_TO, 1, key, START).granted(), spec.toString());
            }
            assertArrayEquals(before, commands().dump(key), spec.toString());
        }
    }

    @Test
    protected final void aWindowHasOneFieldForEachBlockAndNoOld() {
        StrategySpec window = SlidingWindow.of(1_000, Duration.ofSeconds(1)).withBlocks(10);
        byte[] key = newKey();
        for (int step = 0; step < 200; step++) {
            acquire(window, 1, key, START + step * 30_000L);
            assertTrue(commands().hlen(key) <= 12, "fields: " + commands().hlen(key));
        }
        assertEquals(1_000, acquire(window, 1_000, key, START + 60_000_000).granted());
        assertEquals(2, commands().hlen(key));
        assertEquals(-1, acquire(window, 1_001, key, START + 120_000_000).retry());
    }

    @Test
    protected final void aLogStaysSmallHoweverMuchIsCharged() {
        StrategySpec log = SlidingLog.of(10, Duration.ofSeconds(1));
        byte[] key = newKey();
        for (int charge = 1; charge <= 200; charge++) {
            Decision answer = run(log, Decision.CHARGE, 1, key, START + charge);
            assertEquals(Math.max(0, 10 - charge), answer.remaining());
            assertTrue(commands().zcard(key) <= 20, "entries: " + commands().zcard(key));
        }
        assertEquals(0, acquire(log, 1, key, START + 1_000_100).granted());
        assertEquals(10, acquire(log, 10, key, START + 1_000_200).granted());
    }

    @Test
    protected final void theTighterOfSeveralRatesIsTold() {
        StrategySpec both = AllOf.of(
                TokenBucket.of(10, Duration.ofSeconds(1)),
                TokenBucket.of(1_000, Duration.ofHours(1)).withCapacity(12));
        byte[] key = newKey();
        assertEquals(new Decision(10, 0, 10, 1_000_000, 0), acquire(both, 10, key, START));
        assertEquals(new Decision(0, 0, 10, 1_000_000, 100_000), acquire(both, 1, key, START));
        assertEquals(new Decision(0, 2, 1_000, 35_000_000, 2_600_000), acquire(both, 3, key, START + 1_000_000));
        assertEquals(new Decision(2, 0, 1_000, 42_200_000, 0), acquire(both, 2, key, START + 1_000_000));
        assertEquals(-1, acquire(both, 11, key, START + 1_000_000).retry());
    }

    @Test
    protected final void aKeyThatTriesTooOftenIsBannedAndIsFreeAgain() {
        StrategySpec login = new Ban(LeakyBucket.of(1, Duration.ofMinutes(1)).withBurst(4), Duration.ofMinutes(10));
        byte[] key = newKey();
        for (int attempt = 0; attempt < 5; attempt++) {
            assertEquals(1, acquire(login, 1, key, START).granted());
        }
        assertEquals(new Decision(0, 0, 1, 600_000_000, 600_000_000), acquire(login, 1, key, START));
        assertEquals(new Decision(0, 0, 1, 1, 1), acquire(login, 1, key, START + 599_999_999));
        assertEquals(new Decision(1, 4, 1, 60_000_000, 0), acquire(login, 1, key, START + 600_000_000));
    }
}
