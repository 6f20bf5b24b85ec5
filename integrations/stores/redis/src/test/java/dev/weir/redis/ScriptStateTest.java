package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Settled;
import dev.weir.spi.StrategySpec;
import dev.weir.store.Reply;
import dev.weir.store.contract.Specs;
import dev.weir.store.rates.Ban;
import dev.weir.store.rates.StateRates;
import dev.weir.store.state.Operation;
import dev.weir.store.state.Rule;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.Step;
import dev.weir.testkit.Stress;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The script and the arithmetic in Java, step by step: the same answer, and the same bytes under the key, but of a log, which is
 * a sorted set in Redis.
 */
@Tag("proof")
@Needs(Server.REDIS)
class ScriptStateTest {
    private static final long START = 1_767_225_600_000_000L;
    private static final int KEYS = 4;
    private static final int STEPS = 100;

    private final VirtualRedis server = new VirtualRedis();
    private long now;
    private int histories;

    @AfterEach
    void stop() {
        server.close();
    }

    /** A specification as both count it. */
    private record Counted(StrategySpec spec, RedisRate redis, StateRate java) {
        static Counted of(StrategySpec spec) {
            return new Counted(spec, RedisRate.of(spec), StateRates.of(spec));
        }
    }

    private static List<Counted> rates() {
        Stream<StrategySpec> byCost = Specs.single().stream()
                .filter(rate -> !(rate instanceof Pacer))
                .flatMap(rate -> Stream.of(Settled.of(rate), Settled.of(rate).once()));
        return Stream.concat(Specs.all().stream(), byCost).map(Counted::of).toList();
    }

    /** A key, and what is under it by the arithmetic in Java. */
    private static final class Key {
        private final byte[] name;
        private byte @Nullable [] state;
        private boolean isLog;
        private long lives;

        private Key(String name) {
            this.name = name.getBytes(US_ASCII);
        }
    }

    private record Call(Counted rate, Key key, Operation operation, long permits, long grantedAt) {
        RateCall toRedis() {
            return rate.redis.call(key.name, operation, permits, grantedAt);
        }

        Step step(long now) {
            return rate.java.step(key.state, operation, permits, grantedAt, now);
        }

        @Override
        public String toString() {
            return operation + " " + permits + " granted at " + grantedAt + " by " + rate.spec;
        }
    }

    @Test
    void aScriptIsTheArithmeticStepByStep() {
        List<Counted> rates = rates();
        server.time(() -> now);
        Stress.seconds(2, 40, 400).forAll(10, random -> history(rates, random, Script.LIMIT));
    }

    private void history(List<Counted> rates, SplittableRandom random, Script script) {
        List<Counted> some = random.ints(1 + random.nextInt(3), 0, rates.size())
                .mapToObj(rates::get)
                .toList();
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add(new Key("{state}" + histories++));
        }
        long period = Specs.period(plain(some.get(0).spec));
        now = START + random.nextLong(10_000_000);
        for (int step = 0; step < STEPS; step++) {
            now += random.nextInt(15) == 0 ? -random.nextLong(3 * period) : pause(random, period);
            if (random.nextInt(20) == 0) {
                spoil(keys.get(random.nextInt(KEYS)), random);
            }
            List<Call> calls = new ArrayList<>();
            for (int i = random.nextInt(random.nextBoolean() ? 1 : 8); i >= 0; i--) {
                calls.add(call(some, keys, random));
            }
            run(script, calls);
        }
        keys.forEach(key -> server.redis().del(key.name));
    }

    private static StrategySpec plain(StrategySpec spec) {
        return spec instanceof Settled settled ? settled.rate() : spec;
    }

    private static long pause(SplittableRandom random, long period) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> 0;
            case 2, 3, 4 -> random.nextLong(Math.max(1, period / 5));
            case 5 -> random.nextLong(period);
            case 6 -> period - 1 + random.nextInt(3);
            default -> random.nextInt(5) == 0 ? random.nextLong(4 * period) : 0;
        };
    }

    private Call call(List<Counted> some, List<Key> keys, SplittableRandom random) {
        Counted rate = some.get(random.nextInt(some.size()));
        Key key = keys.get(random.nextInt(KEYS));
        long most = Math.max(1, rate.java.largest());
        long permits = random.nextLong(random.nextBoolean() ? 2 * most : Math.min(4, most + 1));
        if (random.nextInt(100) == 0) {
            permits = Long.MAX_VALUE >> random.nextInt(12);
        }
        boolean refunds = rate.java.countsCost() && random.nextInt(4) == 0;
        if (refunds) {
            long held = random.nextLong(2 * Specs.period(plain(rate.spec)));
            long grantedAt = random.nextInt(8) == 0 ? Long.MAX_VALUE : random.nextInt(8) == 0 ? 0 : now - held;
            return new Call(rate, key, Operation.REFUND, permits, grantedAt);
        }
        return switch (random.nextInt(7)) {
            case 0, 1, 2 -> new Call(rate, key, Operation.ACQUIRE, permits, 0);
            case 3, 4 -> new Call(rate, key, Operation.ACQUIRE_UP_TO, permits, 0);
            case 5 -> new Call(rate, key, Operation.CHARGE, permits, 0);
            default -> new Call(rate, key, Operation.CHARGE, -permits, 0);
        };
    }

    /* What is no state in either: cut, or with a number that none has. */
    private void spoil(Key key, SplittableRandom random) {
        byte[] state = key.state;
        if (state == null || key.isLog) {
            return;
        }
        byte[] spoilt = state.clone();
        switch (random.nextInt(4)) {
            case 0 -> spoilt = Arrays.copyOf(state, random.nextInt(state.length));
            case 1 -> spoilt[random.nextInt(2)]++;
            case 2 -> spoilt = new byte[random.nextInt(100)];
            default -> {
                double[] wrong = {Double.NaN, -1, 0.5, 0x1p53, Double.POSITIVE_INFINITY};
                int at = 4 + Double.BYTES * random.nextInt((state.length - 4) / Double.BYTES);
                ByteBuffer.wrap(spoilt).putDouble(at, wrong[random.nextInt(wrong.length)]);
            }
        }
        key.state = spoilt;
        key.lives = 0;
        server.redis().set(key.name, spoilt);
    }

    private void run(Script script, List<Call> calls) {
        List<byte[]> names = calls.stream().map(call -> call.key.name).toList();
        List<byte[]> arguments =
                RateCall.arguments(calls.stream().map(Call::toRedis).toList());
        List<Object> answer =
                server.run(script, names, arguments).toCompletableFuture().join();
        assertEquals(RateAnswer.RESULTS * calls.size(), answer.size());
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            Step step = call.step(now);
            Reply reply = RateAnswer.of(answer.subList(RateAnswer.RESULTS * i, RateAnswer.RESULTS * (i + 1)))
                    .get();
            assertEquals(step.reply(), reply, () -> call + " at " + now + " over " + text(call.key.state));
            if (step.state() != null) {
                call.key.state = step.state();
                call.key.isLog = call.rate.java.rule() == Rule.LOG;
                call.key.lives = step.ttlMicros() / 1_000 - 1 + VirtualRedis.MARGIN_MILLIS;
            }
        }
        for (Call call : calls) {
            if (!call.key.isLog) {
                byte[] stored = server.redis().get(call.key.name);
                byte[] state = call.key.state;
                assertArrayEquals(
                        state, stored, () -> call + " at " + now + ": " + text(state) + " is " + text(stored));
            }
            // Less what has passed of the server's own time since it was written.
            long left = server.redis().pttl(call.key.name);
            long lives = call.key.lives;
            assertTrue(
                    lives == 0 || left <= lives && left > lives - VirtualRedis.MARGIN_MILLIS / 2,
                    () -> call + " at " + now + " lives " + left + " of " + lives);
        }
    }

    private static String text(byte @Nullable [] state) {
        if (state == null || state.length < 4) {
            return "nothing";
        }
        StringBuilder text = new StringBuilder("rule " + state[2]);
        for (ByteBuffer numbers = ByteBuffer.wrap(state, 4, state.length - 4); numbers.remaining() >= Double.BYTES; ) {
            text.append(' ').append((long) numbers.getDouble());
        }
        return text.toString();
    }

    @Test
    void aScriptWithOneMistakeIsFound() {
        List<Counted> rates =
                rates().stream().filter(rate -> !(rate.spec instanceof Ban)).toList();
        server.time(() -> now);
        for (String[] mistake : new String[][] {
            {"own - (now - at) * leak", "own - (now - at) * leak - 1"},
            {"oldest % 1 - blocks\n", "oldest % 1 - blocks + 1\n"},
            {"now - from < length", "now - from <= length"},
            {"debt - (now - at) * leak", "debt"},
            {"MOST - cost) + math.min(part, cost)", "MOST - cost)"}
        }) {
            String text = Script.LIMIT.text().replace(mistake[0], mistake[1]);
            assertTrue(!text.equals(Script.LIMIT.text()), mistake[0]);
            Script twin = new Script("twin", text, Integer.toString(text.hashCode()));
            assertThrows(
                    AssertionError.class,
                    () -> {
                        for (int seed = 0; seed < 500; seed++) {
                            history(rates, new SplittableRandom(seed), twin);
                        }
                    },
                    mistake[0]);
        }
    }
}
