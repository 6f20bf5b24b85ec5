package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Stress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class TargetSharesTest {
    private static Row row(int number, long weight, long demand) {
        return new Row("i" + number, "0000000000000000", 0, 0, 100, weight, demand, -1);
    }

    private static long[] equal(long total, int count, long epoch) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(row(i, 1, Row.MAX));
        }
        return TargetShares.of(total, rows, epoch);
    }

    private static long[] weighted(long total, long... weights) {
        List<Row> rows = new ArrayList<>();
        for (long weight : weights) {
            rows.add(row(rows.size(), weight, Row.MAX));
        }
        return TargetShares.of(total, rows, 0);
    }

    private static long[] demanded(long total, long... demands) {
        List<Row> rows = new ArrayList<>();
        for (long demand : demands) {
            rows.add(row(rows.size(), 1, demand));
        }
        return TargetShares.of(total, rows, 0);
    }

    @Test
    void Z2_theRestGoesToTheFirst() {
        assertArrayEquals(new long[] {4, 3, 3}, equal(10, 3, 0));
        assertArrayEquals(new long[] {4, 3, 3}, equal(10, 3, 7), "without zeros nothing moves on");
        assertArrayEquals(new long[] {10}, equal(10, 1, 0));
        assertArrayEquals(new long[] {}, equal(10, 0, 0));
        assertArrayEquals(new long[] {0, 0}, equal(0, 2, 0));
    }

    @Test
    void Z2_theZerosMoveOnWithEachEpoch() {
        assertArrayEquals(new long[] {1, 1, 0, 0, 0}, equal(2, 5, 0));
        assertArrayEquals(new long[] {0, 0, 1, 1, 0}, equal(2, 5, 1));
        assertArrayEquals(new long[] {1, 0, 0, 0, 1}, equal(2, 5, 2));
        assertArrayEquals(new long[] {0, 1, 1, 0, 0}, equal(2, 5, 3));
        assertArrayEquals(new long[] {0, 0, 0, 1, 1}, equal(2, 5, 4));
        assertArrayEquals(new long[] {1, 1, 0, 0, 0}, equal(2, 5, 5));
    }

    @Test
    void weightsAreProportions() {
        assertArrayEquals(new long[] {80, 20}, weighted(100, 4, 1));
        assertArrayEquals(new long[] {67, 33}, weighted(100, 2, 1));
        assertArrayEquals(new long[] {100, 0}, weighted(100, 1, 0), "a weight that cannot be read");
        assertArrayEquals(new long[] {0, 0}, weighted(100, 0, 0));
        assertArrayEquals(new long[] {Row.MAX / 2, Row.MAX / 2}, weighted(Row.MAX, Row.MAX_WEIGHT, Row.MAX_WEIGHT));
    }

    @Test
    void unusedShareIsLent() {
        assertArrayEquals(new long[] {20, 80}, demanded(100, 20, 500), "20 is all the first needs");
        assertArrayEquals(new long[] {50, 50}, demanded(100, 90, 500), "both need more than an even share");
        assertArrayEquals(new long[] {6, 94}, demanded(100, 0, 500), "an eighth of an even share is kept");
        assertArrayEquals(new long[] {20, 40, 40}, demanded(100, 20, 41, 200), "what is left is divided anew");
        assertArrayEquals(new long[] {55, 45}, demanded(100, 20, 10), "nobody needs it: the rest is divided evenly");
    }

    @Test
    @Tag("proof")
    @Tag("property")
    void Z2_theSumIsTheTotalAndNobodyIsStarvedForEver() {
        Stress.seconds(0.2, 5, 60).forAll(300, random -> {
            long total = random.nextBoolean() ? random.nextLong(50) : random.nextLong(Row.MAX);
            List<Row> rows = rows(random);
            long[] shares = TargetShares.of(total, rows, random.nextLong(1_000));
            assertEquals(total, Arrays.stream(shares).sum());
            for (int i = 0; i < shares.length; i++) {
                assertTrue(shares[i] >= 0);
            }
            long small = 1 + random.nextLong(20);
            long[] had = new long[rows.size()];
            for (int epoch = 0; epoch < rows.size(); epoch++) {
                long[] now = equal(small, rows.size(), epoch);
                Arrays.setAll(had, i -> had[i] + now[i]);
            }
            long even = small;
            assertTrue(small >= rows.size() || Arrays.stream(had).allMatch(sum -> sum == even), Arrays.toString(had));
        });
    }

    @Test
    @Tag("proof")
    @Tag("property")
    void anInstanceThatNeedsMoreHasAtLeastAnEvenPart() {
        Stress.seconds(0.2, 5, 60).forAll(300, random -> {
            long total = random.nextLong(10_000);
            List<Row> rows = rows(random).stream()
                    .map(row -> row(0, 1, row.demand() % 1_000))
                    .toList();
            long[] shares = TargetShares.of(total, rows, 0);
            for (int i = 0; i < shares.length; i++) {
                long even = total / rows.size();
                long least = Math.min(even, rows.get(i).demand());
                long share = shares[i];
                assertTrue(share >= least, () -> share + " < " + least);
            }
        });
    }

    private static List<Row> rows(SplittableRandom random) {
        List<Row> rows = new ArrayList<>();
        int count = 1 + random.nextInt(40);
        for (int i = 0; i < count; i++) {
            long demand = random.nextBoolean() ? Row.MAX : random.nextLong(Row.MAX >> random.nextInt(59));
            rows.add(row(i, 1 + random.nextLong(Row.MAX_WEIGHT >> random.nextInt(30)), demand));
        }
        return rows;
    }
}
