package dev.weir.named.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection.Reason;
import dev.weir.named.recorder.PackedSecond.Gauges;
import dev.weir.named.recorder.PackedSecond.Hold;
import dev.weir.named.recorder.RecordedLoad.KeyShare;
import dev.weir.testkit.Seed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class PackedSecondTest {
    private static final Reason[] REASONS = Reason.values();

    @Test
    void whateverIsPackedIsRead() {
        Packed packing = new Packed();
        Seed.forAll(500, random -> {
            Gauges gauges = new Gauges(number(random), number(random), random.nextInt(1_000), number(random));
            long mean = number(random);
            long[] grown = random.longs(2 + REASONS.length, 0, 5).toArray();
            int[] slices = slices(random);
            List<KeyShare> keys = IntStream.range(0, random.nextInt(4))
                    .mapToObj(i -> new KeyShare("key" + i, number(random)))
                    .toList();
            Sample held = new Sample(true);
            Sample waits = new Sample(false);
            held.add(5_000, 195);
            held.add(7_000, 203);
            waits.add(9_000, 0);
            PackedSecond packed = PackedSecond.of(packing, gauges, mean, grown, held, waits, 200, keys, slices);

            RecordedSecond figures = packed.figures(Instant.EPOCH);
            assertEquals(gauges.limit(), figures.limit());
            assertEquals(mean, packed.meanLimit());
            assertEquals(gauges.inFlight(), figures.inFlight());
            assertEquals(gauges.waiting(), figures.waiting());
            assertEquals(gauges.oldestWaitNanos(), figures.oldestWaitNanos());
            assertEquals(grown[0], figures.admitted());
            assertEquals(grown[1], figures.passed());
            for (Reason reason : REASONS) {
                assertEquals(grown[2 + reason.ordinal()], figures.refused().getOrDefault(reason, 0L));
            }
            assertEquals(2, figures.held().count());
            assertEquals(1, figures.waits().count());

            int[] arrivals = new int[300];
            List<Hold> holds = new ArrayList<>();
            assertEquals(keys, packed.load(100, arrivals, 100, holds));
            assertArrayEquals(
                    IntStream.concat(IntStream.range(0, 100).map(i -> 0), IntStream.of(slices))
                            .toArray(),
                    IntStream.of(arrivals).limit(200).toArray());
            assertEquals(List.of(new Hold(195, 5_000), new Hold(203, 7_000)), holds);
        });
    }

    @Test
    void onlySecondsThatAreTheSameWithoutKeysAreOne() {
        PackedSecond first = of(1, List.of());
        assertTrue(first.isRepeatedBy(of(1, List.of())));
        assertEquals(2, first.times());
        assertFalse(first.isRepeatedBy(of(2, List.of())));
        assertFalse(first.isRepeatedBy(of(1, List.of(new KeyShare("a", 1)))));
        assertEquals(2, first.times());
        assertTrue(first.isLeftAfterOneLess());
        assertFalse(first.isLeftAfterOneLess());
    }

    private static PackedSecond of(long limit, List<KeyShare> keys) {
        return PackedSecond.of(
                new Packed(),
                new Gauges(limit, 0, 0, 0),
                limit,
                new long[2 + REASONS.length],
                new Sample(true),
                new Sample(false),
                100,
                keys,
                null);
    }

    private static long number(SplittableRandom random) {
        return random.nextLong() >>> random.nextInt(1, 64);
    }

    /* All about as many, all the same, or mostly none. */
    private static int[] slices(SplittableRandom random) {
        int least = random.nextInt(3) == 0 ? 0 : random.nextInt(1_000_000);
        int spread = random.nextInt(1, 300);
        boolean isSparse = random.nextBoolean();
        return random.ints(PackedSecond.SLICES, 0, spread)
                .map(each -> least + (isSparse && each % 5 > 0 ? 0 : each))
                .toArray();
    }
}
