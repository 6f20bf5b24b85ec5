package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.state.StateRate.Even;
import dev.weir.store.state.StateRate.WindowLimit;
import dev.weir.testkit.Stress;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random rates of all rules and of any size in turn on one state, with a clock that jumps, junk and bytes that are nearly a state. */
@Tag("property")
class StateFuzzTest {
    private static final int STEPS = 60;

    @Test
    @Tag("proof")
    void D10_eachStateThatIsWrittenIsReadAndNothingElseIsBelieved() {
        Stress.seconds(1, 10, 100).forAll(200, StateFuzzTest::history);
    }

    private static void history(SplittableRandom random) {
        List<StateRate> rates =
                IntStream.range(0, 3).mapToObj(i -> rate(random)).toList();
        byte[] state = random.nextInt(3) == 0 ? junk(random) : null;
        long now = random.nextLong(1L << random.nextInt(10, 52));
        for (int i = 0; i < STEPS; i++) {
            StateRate rate = rates.get(random.nextInt(rates.size()));
            now = Math.max(0, Math.min(1L << 51, now + jump(random)));
            Operation operation = Operation.values()[random.nextInt(4)];
            long permits = size(random) * (operation == Operation.CHARGE && random.nextBoolean() ? -1 : 1);
            Step step = rate.step(state, operation, permits, random.nextLong(-5, 1L << 52), now);
            check(rate, state, step, now);
            state = random.nextInt(20) == 0 ? damaged(state, random) : step.state() == null ? state : step.state();
        }
    }

    private static void check(StateRate rate, byte @Nullable [] before, Step step, long now) {
        boolean isJunk = before != null && Packed.read(before) == null;
        assertEquals(isJunk && step.state() != null ? 1 : 0, step.reply().healed());
        assertEquals(now, step.reply().at());
        if (step.state() == null) {
            assertEquals(0, step.ttlMicros());
            return;
        }
        assertTrue(step.ttlMicros() >= 1_000 && step.ttlMicros() % 1_000 == 0, () -> "lives " + step.ttlMicros());
        byte[] head = rate.head();
        assertArrayEquals(head, Arrays.copyOf(step.state(), head.length));
        Step again = rate.step(step.state(), Operation.ACQUIRE, 0, 0, now);
        State read = Packed.read(step.state());
        if (read == null) {
            return;
        }
        assertNull(again.state(), "an operation that changes nothing writes nothing");
        // Permits of a pacer that need not come together come one by one. A debt that is paid has no ceiling.
        boolean isPaid = read.numbers()[State.UNITS] == 0 && read.numbers()[State.CEILING] > 0;
        if (!isPaid && rate.rates().stream().noneMatch(Even::isPaced)) {
            assertEquals(step.reply().remaining(), again.reply().remaining());
        }
    }

    private static StateRate rate(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 ->
                StateRate.even(IntStream.range(0, 1 + random.nextInt(8))
                        .mapToObj(i -> even(random))
                        .toList());
            case 1 -> StateRate.ban(even(random), 1 + size(random));
            case 2 -> settled(StateRate.fixed(limit(random), 1 + size(random), random.nextBoolean()), random);
            case 3 -> settled(StateRate.window(limit(random), 1 + size(random), 1 + random.nextInt(60)), random);
            default -> settled(StateRate.log(limit(random), 1 + size(random)), random);
        };
    }

    private static StateRate settled(StateRate rate, SplittableRandom random) {
        return random.nextBoolean() ? rate : rate.settled(random.nextBoolean());
    }

    private static Even even(SplittableRandom random) {
        long cost = 1 + size(random);
        long largest = 1 + random.nextLong(Math.max(1, (1L << 51) / cost));
        return new Even(1 + size(random), cost, cost * largest, largest, random.nextInt(4) == 0, 1 + size(random));
    }

    private static WindowLimit limit(SplittableRandom random) {
        long permits = 1 + random.nextLong(1L << random.nextInt(1, 30));
        long cost = 1 + random.nextLong((1L << 48) / permits);
        return new WindowLimit(1 + random.nextLong(1L << random.nextInt(1, 48)), cost, permits);
    }

    /** Small and large numbers alike, less than 2^51. */
    private static long size(SplittableRandom random) {
        return random.nextLong(1L << random.nextInt(1, 51));
    }

    private static long jump(SplittableRandom random) {
        long jump = random.nextLong(1L << random.nextInt(1, 45));
        return random.nextInt(5) == 0 ? -jump : jump;
    }

    private static byte[] junk(SplittableRandom random) {
        byte[] junk = new byte[random.nextInt(200)];
        random.nextBytes(junk);
        return junk;
    }

    private static byte @Nullable [] damaged(byte @Nullable [] state, SplittableRandom random) {
        if (state == null || state.length == 0) {
            return null;
        }
        byte[] damaged = Arrays.copyOf(state, Math.max(1, state.length - random.nextInt(2) * random.nextInt(9)));
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        return damaged;
    }
}
