package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.EvenModel;
import dev.weir.store.contract.Model;
import dev.weir.store.contract.ModelAnswer;
import dev.weir.store.contract.Models;
import dev.weir.store.contract.RateContract;
import dev.weir.store.contract.Specs;
import dev.weir.store.rates.Ban;
import dev.weir.store.state.Operation;
import dev.weir.testkit.CpuBudget;
import dev.weir.testkit.Stress;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract of the arithmetic of rates for their script, and what only Redis has: keys, their time to live, and junk under them. */
@Tag("contract")
abstract class ScriptContract extends RateContract {
    private static final CpuBudget BUDGET = Stress.seconds(0.6, 12, 120);
    private static final int KEYS = 50;

    private int names;

    /** The same for all steps of a test. */
    abstract ScriptBench bench();

    @Override
    protected final Reply step(
            StrategySpec spec, Operation operation, long permits, long grantedAt, String key, long micros) {
        return bench().step(spec, operation, permits, grantedAt, key, micros);
    }

    private String newName() {
        return "own" + names++;
    }

    private byte[] key(String name) {
        return bench().key(name);
    }

    private RedisClusterCommands<byte[], byte[]> commands() {
        return bench().commands();
    }

    private ModelAnswer run(StrategySpec spec, Operation operation, long permits, String key, long micros) {
        return ModelAnswer.of(step(spec, operation, permits, 0, key, micros));
    }

    private ModelAnswer acquire(StrategySpec spec, long permits, String key, long micros) {
        return run(spec, Operation.ACQUIRE, permits, key, micros);
    }

    private ModelAnswer since(long since, StrategySpec spec, String key, long micros) {
        return ModelAnswer.of(bench().usedUpSince(since, spec, key, micros));
    }

    @Test
    protected final void D8_anEvenRateCountsAsUsedUpSinceARestart() {
        for (StrategySpec spec : Specs.even()) {
            String key = newName();
            EvenModel model = (EvenModel) Models.of(spec);
            model.drain(START);
            for (long later : new long[] {0, 1, 999, Specs.period(spec), 50 * Specs.period(spec)}) {
                model.moveTo(START + later);
                long room = model.room();
                ModelAnswer answer = since(START, spec, key, START + later);
                assertEquals(room, answer.remaining(), spec + " later " + later);
            }
        }
        for (StrategySpec spec : Specs.windows()) {
            assertEquals(
                    Models.of(spec).largest(),
                    since(START, spec, newName(), START).remaining());
        }
    }

    @Test
    protected final void D10_anythingElseUnderTheKeyIsReplacedAndTold() {
        for (StrategySpec spec : Specs.all()) {
            for (Junk junk : Junk.values()) {
                String key = newName();
                junk.write(commands(), key(key));
                Model model = Models.of(spec);
                for (int step = 0; step < 3; step++) {
                    long now = START + step;
                    ModelAnswer answer = acquire(spec, 1, key, now);
                    ModelAnswer expected =
                            model.answer(ModelAnswer.ACQUIRE, 1, now).healing(step == 0 ? 1 : 0);
                    assertEquals(expected, answer, spec + " over " + junk);
                }
                assertTrue(commands().pttl(key(key)) > 0, spec + " over " + junk);
            }
        }
    }

    /** Of limits that count the same permits, each under its own key. */
    private long longestReset(Map<StrategySpec, String> alone, long permits) {
        long longest = 0;
        for (Map.Entry<StrategySpec, String> limit : alone.entrySet()) {
            Reply reply = bench().step(limit.getKey(), Operation.CHARGE, permits, limit.getValue());
            longest = Math.max(longest, ModelAnswer.of(reply).reset());
        }
        return longest;
    }

    @Test
    protected final void D3_aKeyLivesAsLongAsItsLimitIsUsedAndNoLongerThanTwice() {
        for (StrategySpec spec : Specs.all()) {
            String key = newName();
            Map<StrategySpec, String> alone = new LinkedHashMap<>();
            spec.parts().forEach(part -> alone.put(part, newName()));
            // Each part is charged alone a moment later than all together, so it is full again later by as much.
            long before = serverMillis();
            for (long permits : new long[] {1, 1, 1_000_000, 1}) {
                ModelAnswer answer = ModelAnswer.of(bench().step(spec, Operation.ACQUIRE_UP_TO, permits, key));
                long left = commands().pttl(key(key));
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
        return Long.parseLong(new String(time.get(0), US_ASCII)) * 1_000
                + Long.parseLong(new String(time.get(1), US_ASCII)) / 1_000;
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
                String key = newName();
                used.add(key(key));
                for (int request = 0; request < 1 + i % 7; request++) {
                    bench().step(spec, Operation.values()[i % 3], 1 + i % 5, key);
                }
            }
        }
        await().atMost(Duration.ofMinutes(2))
                .until(() -> used.stream().noneMatch(key -> commands().exists(key) > 0));
    }

    @Test
    protected final void whatIsNeverGrantedWritesNothing() {
        for (StrategySpec spec : Specs.all()) {
            String key = newName();
            assertEquals(-1, acquire(spec, Long.MAX_VALUE, key, START).retry(), spec.toString());
            acquire(spec, 0, key, START);
            assertEquals(0, commands().exists(key(key)), spec.toString());
        }
    }

    @Test
    protected final void aRefusedRequestWritesNothing() {
        for (StrategySpec spec : Specs.all()) {
            String key = newName();
            run(spec, Operation.ACQUIRE_UP_TO, 1_000_000, key, START);
            acquire(spec, 1, key, START); // begins a ban
            byte[] before = commands().dump(key(key));
            for (int request = 0; request < 3; request++) {
                assertEquals(0, acquire(spec, 1, key, START).granted(), spec.toString());
                assertEquals(0, acquire(spec, Long.MAX_VALUE, key, START + 1).granted(), spec.toString());
                assertEquals(
                        0, run(spec, Operation.ACQUIRE_UP_TO, 1, key, START).granted(), spec.toString());
            }
            assertArrayEquals(before, commands().dump(key(key)), spec.toString());
        }
    }

    @Test
    protected final void aWindowHasOneCountForEachBlockAndNoOld() {
        StrategySpec window = SlidingWindow.of(1_000, Duration.ofSeconds(1)).withBlocks(10);
        String key = newName();
        for (int step = 0; step < 200; step++) {
            acquire(window, 1, key, START + step * 30_000L);
            assertTrue(blocks(key) <= 11, "blocks: " + blocks(key));
        }
        assertEquals(1_000, acquire(window, 1_000, key, START + 60_000_000).granted());
        assertEquals(1, blocks(key));
        assertEquals(-1, acquire(window, 1_001, key, START + 120_000_000).retry());
    }

    /** After the head of 4 bytes, 5 parameters and 5 numbers there are two for each block. */
    private long blocks(String key) {
        return (commands().strlen(key(key)) - 4 - 10 * Double.BYTES) / (2 * Double.BYTES);
    }

    @Test
    protected final void aLogStaysSmallHoweverMuchIsCharged() {
        StrategySpec log = SlidingLog.of(10, Duration.ofSeconds(1));
        String key = newName();
        for (int charge = 1; charge <= 200; charge++) {
            run(log, Operation.CHARGE, 1, key, START + charge);
            long entries = commands().zcard(key(key));
            assertTrue(entries <= 20, "entries: " + entries);
        }
    }
}
